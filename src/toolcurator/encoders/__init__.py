"""Text to dense vectors: packaged encoder, local folder, hub model, static model, OpenAI-compatible endpoint.

Nothing heavy is imported here; each encoder imports its library when the first text comes.
"""

from toolcurator.encoders.encoder import Encoder, Progress, Vectors
from toolcurator.encoders.load import load_encoder

__all__ = ["Encoder", "Progress", "Vectors", "load_encoder"]
