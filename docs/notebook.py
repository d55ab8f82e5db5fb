# %% [markdown]
# # From a treebank to a result, in English and German
#
# Every sentence here was made by a grammar, so that everything can be repeated anywhere. Put your
# own treebank (a folder such as `"UD_Polish-PDB"`) in place of the first path.
# %%
import colorless_green as cg
from colorless_green.data import sample

english = cg.mine(str(sample.treebank("en")), store="notebook.db")
english
# %% [markdown]
# Each row is a construction in which two distant words agree in number. **Nonce variants** have the
# same syntax and other words, so that meaning does not help:
# %%
variants = cg.make_nonce(english, n=2)
variants.show(n=3)
# %% [markdown]
# **Composed sets** have the same words in every cell, and nouns of the other number in all the
# wrong places:
# %%
sets = cg.compose(english, sets=20)
sets.show()
# %% [markdown]
# ## Score models
#
# An n-gram model of the treebank, without the sentences of the test. A name from Hugging Face
# (`"gpt2"`), a folder, or a pair `(model, tokenizer)` in memory would do as well.
# %%
trained = cg.train("ngram", english, out="ngram-en")
scores = cg.score(variants, trained)
scores.accuracy(by="kind").select("model", "kind", "n_items", "accuracy", "low", "high")
# %% [markdown]
# What of this could be right without grammar?
# %%
cg.audit(variants).to_frame().select("baseline", "n_items", "accuracy", "low", "high").head(12)
# %% [markdown]
# ## Another language
#
# A treebank from a grammar of one's own: German, with articles that tell the number or do not.
# %%
from pathlib import Path

Path("deutsch.toml").write_text(
    '''
name = "deutsch"
language = "de"
licence = "MIT"

[features]
Gender = ["Masc", "Fem", "Neut"]
Number = ["Sing", "Plur"]

[indices]
n = "Number"
g = "Gender"

[sentences]
bei = "Near[n]:nsubj Verb[n] Gladly:advmod Stop:punct @5"
der = "Following[n]:nsubj Verb[n] Stop:punct @3"
kurz = "(The[n g]:det Person[n g]):nsubj Verb[n] Gladly:advmod Stop:punct @2"

[phrases]
Near = "The[n g]:det Person[n g] (By:case Dative):nmod"
Following = """
  The[n g]:det Person[n g]
  (Comma:punct Der[n g]:nsubj Dative:obj Follows[n] Comma:punct):acl:relcl
"""
Dative = "TheDat[n g]:det Old:amod Thing[n g]"

[lexicon]
By = { upos = "ADP", entries = ["bei", "vor", "neben", "hinter"] }
Gladly = { upos = "ADV", entries = ["gern", "oft", "heute", "leise"] }
Old = { upos = "ADJ", entries = [
  { lemma = "alt", form = "alten" }, { lemma = "neu", form = "neuen" },
  { lemma = "klein", form = "kleinen" }, { lemma = "hell", form = "hellen" } ] }
Comma = { upos = "PUNCT", entries = [","], glue = "left" }
Stop = { upos = "PUNCT", entries = ["."], glue = "left" }

[lexicon.The]
upos = "DET"
feats = "Case=Nom|PronType=Art"
paradigm = "der"
entries = [{ lemma = "der" }]

[lexicon.Der]
upos = "PRON"
feats = "Case=Nom|PronType=Rel"
paradigm = "der"
entries = [{ lemma = "der" }]

[lexicon.TheDat]
upos = "DET"
feats = "Case=Dat|PronType=Art"
paradigm = "dem"
entries = [{ lemma = "der" }]

[paradigms]
e = { Sing = "~", Plur = "~e" }
in = { Sing = "~in", Plur = "~innen", lemma = "~in" }
verb = { lemma = "~en", Sing = "~t", Plur = "~en" }
verb-e = { lemma = "~en", Sing = "~et", Plur = "~en" }
dativ = { Sing = "~", Plur = "~en" }

[paradigms.der]
"Masc Sing" = "der"
"Fem Sing" = "die"
"Neut Sing" = "das"
"Masc Plur" = "die"
"Fem Plur" = "die"
"Neut Plur" = "die"

[paradigms.dem]
"Masc Sing" = "dem"
"Fem Sing" = "der"
"Neut Sing" = "dem"
"Masc Plur" = "den"
"Fem Plur" = "den"
"Neut Plur" = "den"

[lexicon.Person]
upos = "NOUN"
feats = "Case=Nom"
repeat = false
entries = [
  { stems = "Freund Dieb Ingenieur Friseur Feind", paradigm = "e", Gender = "Masc" },
  { stems = "Lehrer Freund Nachbar Pilot", paradigm = "in", Gender = "Fem" },
  { stems = "Maler Tänzer Dichter Kellner", paradigm = "in", Gender = "Fem" },
]

[lexicon.Thing]
upos = "NOUN"
feats = "Case=Dat"
repeat = false
entries = [
  { stems = "Tisch Berg Weg Stein Ring Teich", paradigm = "dativ", Gender = "Masc" },
  { stems = "Schiff Boot Tor Regal Klavier Zelt", paradigm = "dativ", Gender = "Neut" },
]

[lexicon.Verb]
upos = "VERB"
paradigm = "verb"
repeat = false
entries = [
  { stems = "lach tanz sing spiel schweig träum pfeif" },
  { stems = "wart antwort", paradigm = "verb-e" },
]

[lexicon.Follows]
upos = "VERB"
paradigm = "verb"
entries = [{ stems = "folg gehorch dank" }]
''',
    encoding="utf-8",
)
cg.generate("deutsch.toml", sample=600, out="deutsch.conllu")
german = cg.mine("deutsch.conllu", language="de", store="notebook.db")
german
# %%
beispiele = cg.make_nonce(german, n=1)
beispiele.show()
# %% [markdown]
# ## The whole way
#
# One call mines, makes both kinds of sets, trains an n-gram model where none is named, scores it
# beside the baselines and writes the page.
# %%
cg.run("deutsch.conllu", language="de", out="report.html", store="notebook.db")
