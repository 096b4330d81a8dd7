extension DocumentationPage {
    static let style = """

        :root { color-scheme: light dark; --ink: #1d2127; --paper: #fff; --faint: #5b6472; --line: #d7dce3; --shade: #f3f5f8;
          --accent: #0b62a8; --get: #0b62a8; --post: #1c7a3a; --put: #96600a; --delete: #b3261e; }
        @media (prefers-color-scheme: dark) {
          :root { --ink: #e6e9ee; --paper: #14171c; --faint: #9aa4b2; --line: #333a45; --shade: #1c2128; --accent: #6cb6ff;
            --get: #6cb6ff; --post: #5fd38a; --put: #e3b341; --delete: #ff8a80; } }
        * { box-sizing: border-box; }
        body { margin: 0 auto; max-width: 62rem; padding: 0 1rem 4rem; background: var(--paper); color: var(--ink);
          font: 16px/1.5 system-ui, sans-serif; }
        h1 { font-size: 1.5rem; margin: 1rem 0 0; }
        h1 small { color: var(--faint); font-weight: normal; font-size: 1rem; }
        h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
        h3 { font-size: 1rem; margin: 1rem 0 .25rem; }
        p { margin: .5rem 0; }
        a { color: var(--accent); margin-right: 1rem; }
        code, pre, .path, input, textarea { font-family: ui-monospace, monospace; font-size: .875rem; }
        .bar { position: sticky; top: 0; z-index: 1; display: grid; grid-template-columns: 2fr 1fr 1fr; gap: .5rem;
          padding: .5rem 0; background: var(--paper); border-bottom: 1px solid var(--line); }
        label { display: block; font-size: .875rem; color: var(--faint); }
        input, textarea, select { display: block; width: 100%; padding: .4rem .5rem; color: var(--ink);
          background: var(--paper); border: 1px solid var(--line); border-radius: .25rem; min-width: 0; }
        textarea { min-height: 7rem; resize: vertical; }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
        details.operation { border: 1px solid var(--line); border-radius: .375rem; margin: .375rem 0; scroll-margin-top: 6rem; }
        details.operation > summary { display: flex; flex-wrap: wrap; gap: 0 .75rem; align-items: baseline; padding: .4rem .6rem;
          cursor: pointer; list-style: none; }
        details.operation > summary::-webkit-details-marker { display: none; }
        details.operation[open] > summary { background: var(--shade); border-bottom: 1px solid var(--line); }
        .method { font: 700 .8125rem ui-monospace, monospace; width: 4rem; color: var(--get); }
        .post { color: var(--post); } .put, .patch { color: var(--put); } .delete { color: var(--delete); }
        .path { overflow-wrap: anywhere; }
        .what { color: var(--faint); }
        .inside { padding: .25rem .75rem .75rem; }
        .scroll { overflow-x: auto; }
        table { border-collapse: collapse; width: 100%; font-size: .875rem; }
        th, td { text-align: left; vertical-align: top; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); }
        th { color: var(--faint); font-weight: normal; }
        td.type { color: var(--faint); white-space: nowrap; }
        details.shape { margin: .25rem 0; } details.shape > summary { cursor: pointer; }
        details.shape > div { padding-left: 1rem; }
        form { background: var(--shade); border-radius: .375rem; padding: .5rem .75rem .75rem; margin-top: 1rem; }
        .fields { display: grid; grid-template-columns: repeat(auto-fill, minmax(12rem, 1fr)); gap: .5rem; }
        button { font: inherit; padding: .35rem 1.25rem; margin: .75rem .5rem 0 0; color: var(--paper); background: var(--accent);
          border: 0; border-radius: .25rem; cursor: pointer; }
        button:disabled { opacity: .5; }
        pre { overflow: auto; max-height: 28rem; margin: .5rem 0 0; padding: .5rem; background: var(--paper);
          border: 1px solid var(--line); border-radius: .25rem; white-space: pre-wrap; overflow-wrap: anywhere; }
        .bad { color: var(--delete); } .good { color: var(--post); }
        @media (max-width: 40rem) { .bar { grid-template-columns: 1fr 1fr; } .bar label:first-child { grid-column: 1 / -1; } }

        """
}
