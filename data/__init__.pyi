from .vocabulary import read_vocabulary as read_vocabulary
