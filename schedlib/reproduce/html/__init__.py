"""The book as a website and as slides, from the executed notebooks: nothing is run, and nothing is fetched from the web.

`build` stages the pages (chapters, gallery, claims, API, source) as Jupyter Book wants them, calls it, and checks what came out.
"""
