"""States carried down the shared beginnings of many questions.

What many texts begin with is read once: their ids form a tree, and all nodes of one depth are one
batch. Each takes the states of its parent and makes one step of every layer's cell; only the states
of one depth are kept. What follows a parent for each of its children (the product with the
recurrent weights) is computed once a parent, and the first layer's product with a word's embedding
once a distinct word. Vectors whose next word is wanted are put aside and projected onto the
vocabulary together; of all other nodes nothing is projected.

Against the protocol of the paper's script (one word after another, every row of the vocabulary,
each target's full row written as text): see bench/recurrent.py.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch

from colorless_green.scoring.recurrent.network import Network
from colorless_green.scoring.recurrent.products import Product, product
from colorless_green.scoring.recurrent.projection import Projection

N_NODES = 1_024  # stepped at once: the gates of 650 units are 10 MiB, which stays near the cores
N_ROWS = 4_096  # wanted rows put aside before they are projected: 10 MiB for 650 units


@dataclass(frozen=True, slots=True)
class Text:
    """Ids that are read after one of the states one starts from; from index `first` on wanted."""

    root: int
    ids: tuple[int, ...]
    first: int


@dataclass(frozen=True, slots=True)
class States:
    """What n texts have left behind: `(layers, n, nhid)` each; `memory` is an LSTM's alone."""

    output: torch.Tensor
    memory: torch.Tensor | None

    def at(self, indices: torch.Tensor) -> "States":
        """The states at `indices` `(m,)`."""
        memory = None if self.memory is None else self.memory[:, indices]
        return States(self.output[:, indices], memory)


@dataclass(frozen=True, slots=True)
class Level:
    """All nodes of one depth."""

    parents: torch.Tensor  # (n,) indices into the level above; of the first one into the roots
    ids: torch.Tensor  # (n,) what each reads


@dataclass(frozen=True, slots=True)
class Wanted:
    """The pairs (node, id after it) of one depth, each once, in the order of the nodes."""

    nodes: tuple[int, ...]  # without repetition, ascending
    rows: tuple[int, ...]  # for each pair the index of its node in `nodes`
    following: tuple[int, ...]


def log_probabilities(
    texts: Sequence[Text], roots: States, cells: "Cells", projection: Projection
) -> list[tuple[float, ...]]:
    """For each text ln p of each wanted id, in order; what several want is computed once."""
    levels, wanted, places = tree(texts, projection.n_words)
    device = roots.output.device
    states = roots
    waiting: list[tuple[torch.Tensor, Wanted]] = []
    values: list[float] = []
    for depth, want in enumerate(wanted):
        if depth:
            level = levels[depth - 1]
            states = cells.step(states, level.parents.to(device), level.ids.to(device))
        if want.nodes:
            rows = states.output[-1, torch.tensor(want.nodes, device=device)]
            waiting.append((rows, want))
        if sum(len(rows) for rows, _ in waiting) >= N_ROWS or depth == len(wanted) - 1:
            values += _projected(waiting, projection)
            waiting = []
    return [tuple(values[place] for place in each) for each in places]


def _projected(
    waiting: Sequence[tuple[torch.Tensor, Wanted]], projection: Projection
) -> list[float]:
    if not waiting:
        return []
    which: list[int] = []
    following: list[int] = []
    n_before = 0
    for rows, want in waiting:
        which += [n_before + row for row in want.rows]
        following += want.following
        n_before += len(rows)
    return projection.log_probabilities(torch.cat([rows for rows, _ in waiting]), which, following)


def tree(texts: Sequence[Text], n_words: int) -> tuple[list[Level], list[Wanted], list[list[int]]]:
    """The levels under the roots, what is wanted at each depth (0: at the roots), and for each text
    where its answers stand among all wanted pairs, depth by depth.

    The last id of a text is read by no one. Levels end where nothing is wanted any more.
    """
    numbers: list[dict[int, int]] = []  # for each depth: parent · n_words + id → node
    asked: list[dict[int, None]] = [{}]  # for each depth: node · n_words + next id
    for text in texts:
        node = text.root
        for depth, following in enumerate(text.ids):
            key = node * n_words + following
            if depth >= text.first:
                asked[depth].setdefault(key)
            if depth == len(text.ids) - 1:
                break
            if depth == len(numbers):
                numbers.append({})
                asked.append({})
            node = numbers[depth].setdefault(key, len(numbers[depth]))
    wanted = [_wanted(sorted(each), n_words) for each in asked]
    order = {
        (depth, key): place
        for place, (depth, key) in enumerate(
            (depth, key) for depth, each in enumerate(asked) for key in sorted(each)
        )
    }
    places = [list(_places(text, numbers, n_words, order)) for text in texts]
    return [_level(list(each), n_words) for each in numbers], wanted, places


def _level(keys: Sequence[int], n_words: int) -> Level:
    packed = torch.tensor(keys, dtype=torch.long)
    return Level(packed // n_words, packed % n_words)


def _wanted(keys: Iterable[int], n_words: int) -> Wanted:
    pairs = [divmod(key, n_words) for key in keys]
    rows = {node: row for row, node in enumerate(dict.fromkeys(node for node, _ in pairs))}
    return Wanted(
        tuple(rows), tuple(rows[node] for node, _ in pairs), tuple(each for _, each in pairs)
    )


def _places(
    text: Text,
    numbers: Sequence[dict[int, int]],
    n_words: int,
    order: dict[tuple[int, int], int],
) -> Iterator[int]:
    node = text.root
    for depth, following in enumerate(text.ids):
        key = node * n_words + following
        if depth >= text.first:
            yield order[depth, key]
        if depth < len(text.ids) - 1:
            node = numbers[depth][key]


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer: its products with what it reads and with its own last output, `(n, width)` to
    `(n, blocks · nhid)`, in torch's order of gates."""

    read: Product
    carry: Product


@dataclass(frozen=True, slots=True)
class Cells:
    """A network's layers, one step at a time."""

    rnn_type: str
    embedding: torch.Tensor  # (ntoken, ninp)
    width: int  # nhid
    layers: tuple[Layer, ...]

    def zero(self, n: int) -> States:
        """The states before anything is read, n times."""
        output = self.embedding.new_zeros(len(self.layers), n, self.width)
        return States(output, output.clone() if self.rnn_type == "LSTM" else None)

    def step(self, states: States, parents: torch.Tensor, ids: torch.Tensor) -> States:
        """The states of nodes that read `ids` `(n,)` after `states` at `parents` `(n,)`."""
        used, which = torch.unique(parents, return_inverse=True)  # others have no children
        states = states.at(used) if len(used) < states.output.shape[1] else states
        carried = tuple(
            layer.carry(output) for layer, output in zip(self.layers, states.output, strict=True)
        )
        after = self.zero(len(ids))
        for start in range(0, len(ids), N_NODES):
            here = slice(start, start + N_NODES)
            self._step(states, carried, which[here], ids[here], after, here)
        return after

    def _step(
        self,
        states: States,
        carried: Sequence[torch.Tensor],
        parents: torch.Tensor,
        ids: torch.Tensor,
        after: States,
        here: slice,
    ) -> None:
        """Writes one batch of nodes into `after`, which is `step`'s own."""
        words, which = torch.unique(ids, return_inverse=True)
        read = self.layers[0].read(self.embedding[words])[which]
        for n, layer in enumerate(self.layers):
            if n:
                read = layer.read(after.output[n - 1, here])
            carry = carried[n][parents]
            if states.memory is not None and after.memory is not None:
                memory = states.memory[n, parents]
                after.output[n, here], after.memory[n, here] = _lstm(read, carry, memory)
            elif self.rnn_type == "GRU":
                after.output[n, here] = _gru(read, carry, states.output[n, parents])
            else:
                total = read.add_(carry)
                tanh = self.rnn_type == "RNN_TANH"
                after.output[n, here] = total.tanh_() if tanh else total.relu_()


def cells(network: Network, rnn_type: str) -> Cells:
    """The layers of a network."""
    weights = {name: value.detach() for name, value in network.rnn.named_parameters()}
    layers = tuple(
        Layer(
            product(weights[f"weight_ih_l{n}"], weights[f"bias_ih_l{n}"]),
            product(weights[f"weight_hh_l{n}"], weights[f"bias_hh_l{n}"]),
        )
        for n in range(network.rnn.num_layers)
    )
    return Cells(rnn_type, network.encoder.weight.detach(), network.rnn.hidden_size, layers)


def _lstm(
    read: torch.Tensor, carry: torch.Tensor, memory: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Output and memory after one step; gates in the order i, f, g, o (torch.nn.LSTM)."""
    admit, keep, offer, show = read.add_(carry).chunk(4, dim=1)
    memory = memory.mul_(keep.sigmoid_()).addcmul_(admit.sigmoid_(), offer.tanh_())
    return show.sigmoid_().mul_(memory.tanh()), memory


def _gru(read: torch.Tensor, carry: torch.Tensor, before: torch.Tensor) -> torch.Tensor:
    """The output after one step; gates in the order r, z, n (torch.nn.GRU)."""
    reset_in, update_in, new_in = read.chunk(3, dim=1)
    reset_by, update_by, new_by = carry.chunk(3, dim=1)
    update = (update_in + update_by).sigmoid_()
    new = (new_in + (reset_in + reset_by).sigmoid_() * new_by).tanh_()
    return new.lerp_(before, update)
