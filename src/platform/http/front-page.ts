/** The response at `/`. */
export interface FrontPage {
  readonly title: string;
  /** The description, one sentence each. */
  readonly sentences: readonly string[];
  /** Paths and their descriptions. */
  readonly links: Readonly<Record<string, string>>;
}

/** Whether this `Accept` prefers pages, as browsers do. */
export function wantsPage(accept: string | undefined): boolean {
  return accept?.toLowerCase().includes('text/html') === true;
}

/** The page for browsers. All of it is our own text. */
export function pageText({ title, sentences, links }: FrontPage): string {
  const items = Object.entries(links).map(([path, what]) => `<li><a href="${path}"><code>${path}</code></a> ${what}</li>`);
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<title>${title}</title><link rel="icon" href="data:,">`,
    '<style>body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:3rem auto;padding:0 1rem;color-scheme:light dark}code{font-size:.95em}</style>',
    `</head><body><h1>${title}</h1>`,
    ...sentences.map((sentence) => `<p>${sentence}</p>`),
    `<ul>${items.join('')}</ul></body></html>`,
    '',
  ].join('\n');
}

export function pageJson({ title, sentences, links }: FrontPage): object {
  return { service: title, about: sentences.join(' '), links };
}
