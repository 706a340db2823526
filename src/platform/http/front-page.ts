import { createHash } from 'node:crypto';

/** Where people reach the listeners; undefined where the settings do not tell. */
export interface ListenerAddresses {
  readonly gateway: string | undefined;
  readonly api: string | undefined;
}

/** The response at `/`. All of it is our own text and the operator's. */
export interface FrontPage {
  readonly title: string;
  /** The description, one sentence each. */
  readonly sentences: readonly string[];
  readonly addresses: readonly {
    readonly name: string;
    readonly address: string | undefined;
    readonly what: string;
  }[];
  /** A command and its options. */
  readonly example: { readonly title: string; readonly command: readonly string[] };
  /** Address of the listener. */
  readonly base: string | undefined;
  /** Paths below {@link base}, or whole addresses, and their descriptions. */
  readonly links: Readonly<Record<string, string>>;
}

export function addressOr(address: string | undefined, otherwise: string): string {
  return address ?? otherwise;
}

/** For every page and its parts. @param policy the Content-Security-Policy. */
export function pageHeaders(policy: string): Record<string, string> {
  return {
    'Content-Security-Policy': policy,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
  };
}

export interface FrontPageResponse {
  readonly body: string;
  readonly headers: Record<string, string>;
}

/** @returns the response for an `Accept`: a page for browsers, JSON for programs. */
export function frontPageResponse(page: FrontPage): (accept: string | undefined) => FrontPageResponse {
  const html = { body: pageText(page), headers: { 'Content-Type': 'text/html; charset=utf-8', Vary: 'Accept', ...pageHeaders(policy) } };
  const headers = { 'Content-Type': 'application/json; charset=utf-8', Vary: 'Accept', 'X-Content-Type-Options': 'nosniff' };
  const json = { body: `${JSON.stringify(pageJson(page), null, 2)}\n`, headers };
  return (accept) => (accept?.toLowerCase().includes('text/html') === true ? html : json);
}

const style = `
:root { color-scheme: light dark; --paper: #fff; --panel: #f5f6f8; --line: #d9dde3; --ink: #1b1f24; --quiet: #59636e; --link: #0b57c2; --mark: #0b6b4f }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14171a; --panel: #1d2126; --line: #343b43; --ink: #e6e9ec; --quiet: #a3adb8; --link: #7db4ff; --mark: #58d3a8 }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.6 system-ui, sans-serif }
main { max-width: 46rem; margin: 0 auto; padding: clamp(1.5rem, 6vw, 4rem) 1.25rem }
h1 { margin: 0 0 .75rem; padding-left: .8rem; border-left: .3rem solid var(--mark); font-size: 1.9rem; line-height: 1.2 }
h2 { margin: 2rem 0 .5rem; font-size: 1.05rem }
p { margin: 0 0 .5rem }
a { color: var(--link) }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px }
code { font: .9em ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; overflow-wrap: anywhere }
dl { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 18rem), 1fr)); margin: 1.5rem 0 0 }
dl div, pre { padding: .8rem 1rem; border: 1px solid var(--line); border-radius: 6px; background: var(--panel) }
dt { font-weight: 600 }
dd { margin: 0; color: var(--quiet); font-size: .925rem }
dd code { color: var(--ink) }
pre { margin: 0; white-space: pre-wrap }
ul { margin: 0; padding: 0; list-style: none }
li { padding: .3rem 0; border-bottom: 1px solid var(--line); color: var(--quiet) }
li code { margin-right: .5rem }
`;

const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

function pageText({ title, sentences, addresses, example, base = '', links }: FrontPage): string {
  const cards = addresses.flatMap(({ name, address, what }) =>
    address === undefined ? [] : [`<div><dt>${name}</dt><dd><code>${escaped(address)}</code></dd><dd>${what}</dd></div>`],
  );
  const items = Object.entries(links).map(([path, what]) => {
    const href = escaped(path.startsWith('/') ? base + path : path);
    return `<li><a href="${href}"><code>${escaped(path)}</code></a> ${what}</li>`;
  });
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<title>${title}</title><link rel="icon" href="data:,"><style>${style}</style></head><body><main>`,
    `<h1>${title}</h1>`,
    ...sentences.map((sentence) => `<p>${escaped(sentence)}</p>`),
    ...(cards.length === 0 ? [] : [`<dl>${cards.join('')}</dl>`]),
    `<h2>${example.title}</h2><pre tabindex="0"><code>${escaped(example.command.join(' \\\n  '))}</code></pre>`,
    `<h2>Where to go</h2><ul>${items.join('')}</ul>`,
    '</main></body></html>',
    '',
  ].join('\n');
}

function pageJson({ title, sentences, addresses, example, links }: FrontPage): object {
  const known = addresses.flatMap(({ name, address }) => (address === undefined ? [] : [[name.toLowerCase(), address]]));
  return {
    service: title,
    about: sentences.join(' '),
    addresses: Object.fromEntries(known) as object,
    example: example.command.join(' '),
    links,
  };
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
