"""The experiment as a web page: a small server, one file of answers, and the page itself."""
