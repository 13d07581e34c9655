"""The parser behind the interfaces of other libraries: NLTK and spaCy.  Each is imported only by its own module."""
