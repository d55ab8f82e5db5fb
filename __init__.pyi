from .data.errors import InputError as InputError
from .data.fetch.fetch import fetch as fetch
from .data.items.suite import Suite as Suite
from .data.load import export as export
from .data.load import load_suite as load_suite
from .data.result import Result as Result
from .data.status import status as status
from .data.store import Store as Store
from .humans.analysis import analyse as analyse
from .humans.comparison import Comparison as Comparison
from .humans.comparison import compare as compare
from .humans.demo import run_demo as run_demo
from .humans.design import design_study as design_study
from .humans.exports.write import export_study as export_study
from .humans.judgments.stored import forget_judgments as forget_judgments
from .humans.page.report import report as report
from .humans.read import Judgments as Judgments
from .humans.read import read_judgments as read_judgments
from .humans.study.design_plan import DesignSettings as DesignSettings
from .miner.coverage import languages as languages
from .miner.mine import Mining as Mining
from .miner.mine import mine as mine
from .miner.parse.parse_text import parse as parse
from .nonce.audit.audit_suite import audit as audit
from .nonce.benchmark.benchmark import Benchmark as Benchmark
from .nonce.benchmark.benchmark import benchmark as benchmark
from .nonce.compose import compose as compose
from .nonce.make import make_nonce as make_nonce
from .scoring.models.model_folder import Trained as Trained
from .scoring.models.specs import Model as Model
from .scoring.models.specs import load_model as load_model
from .scoring.outcomes.scores import Scores as Scores
from .scoring.score import score as score
from .scoring.score_pairs import score_pairs as score_pairs
from .scoring.train import train as train

__version__: str
__all__: list[str]
