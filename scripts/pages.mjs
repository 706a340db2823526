/**
 * Makes `dist/pages`, which the API serves: the dashboard, and under `/docs` the reference with its renderer and the pages of `docs/` but
 * its internals.
 * Every file lies there gzipped; `files.json` says under which path and how each is served.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { Marked } from 'marked';

const root = fileURLToPath(new URL('..', import.meta.url));
const output = join(root, 'dist', 'pages');
const renderer = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** Served for ever under names that hold their hash. */
const assets = [
  join(renderer, 'swagger-ui-bundle.js'),
  join(renderer, 'swagger-ui.css'),
  join(root, 'web', 'ui', 'tokens.css'),
  ...['theme.js', 'reference.js', 'reference.css', 'page.css', 'guide.css'].map((name) => join(root, 'pages', 'docs', name)),
];
/** What the licences of the renderer and of what is bundled in it ask for. */
const notices = ['LICENSE', 'NOTICE', 'swagger-ui-bundle.js.LICENSE.txt'].map((name) => join(renderer, name));

/** @type {Readonly<Record<string, string>>} */
const mediaTypes = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
};

/** @type {Record<string, { file: string, type: string, hash: string, bytes: number, immutable: boolean, parts?: Record<string, string[]> }>} */
const files = {};

/**
 * @param {string} path under which it is served
 * @param {string} name of the file, under which it is kept
 * @param {string | Buffer} content
 * @param {{ immutable?: boolean }} [options]
 */
function add(path, name, content, { immutable = false } = {}) {
  const packed = gzipSync(content, { level: 9 });
  const file = `${name}.gz`;
  mkdirSync(dirname(join(output, file)), { recursive: true });
  writeFileSync(join(output, file), packed);
  files[path] = {
    file,
    type: mediaTypes[extname(name)] ?? 'text/plain; charset=utf-8',
    hash: hashOf(content),
    bytes: packed.length,
    immutable,
  };
}

/** @param {string | Buffer} content */
function hashOf(content) {
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}

/**
 * @param {string} text
 * @param {Readonly<Record<string, string>>} values
 */
function filled(text, values) {
  return text.replaceAll(/\{\{([\w.-]+)\}\}/g, (_, /** @type {string} */ name) => {
    const value = values[name];
    if (value === undefined) throw new Error(`A template asks for ${name}, which is nowhere.`);
    return value;
  });
}

/** @param {string} name */
function template(name) {
  return readFileSync(join(root, 'pages', 'docs', name), 'utf8');
}

/** @returns {Record<string, string>} names with their hash, by name */
function addAssets() {
  /** @type {Record<string, string>} */
  const served = {};
  for (const source of assets) {
    const content = readFileSync(source);
    const name = posix.basename(source);
    const extension = extname(name);
    served[name] = `${name.slice(0, -extension.length)}-${hashOf(content)}${extension}`;
    add(`/docs/assets/${served[name]}`, `assets/${served[name]}`, content, { immutable: true });
  }
  for (const source of notices) add(`/docs/assets/${posix.basename(source)}`, `assets/${posix.basename(source)}`, readFileSync(source));
  return served;
}

/**
 * @typedef {object} Page
 * @property {string} source such as `guides/querying.md`
 * @property {string} path such as `/docs/guides/querying`
 * @property {string} title
 * @property {string} text
 */

/** @returns {Page[]} in the order in which the list of all pages names them */
function readPages() {
  const list = readFileSync(join(root, 'docs', 'README.md'), 'utf8');
  const found = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((name) => name.replaceAll('\\', '/'));
  return found
    .filter((name) => name.endsWith('.md') && !name.startsWith('internals/'))
    .toSorted((one, other) => list.indexOf(`(${one}`) - list.indexOf(`(${other}`))
    .map((source) => {
      const text = readFileSync(join(root, 'docs', source), 'utf8');
      return { source, path: pathOf(source), title: /^# (.+)$/m.exec(text)?.[1] ?? source, text };
    });
}

/** @param {string} source */
function pathOf(source) {
  return source === 'README.md' ? '/docs/guides' : `/docs/${source.slice(0, -'.md'.length)}`;
}

/**
 * Renders a page. A link to another page leads there, one to a file that is not served becomes its text.
 * @param {Page} page
 * @param {ReadonlyMap<string, Page>} pages by source
 */
function articleOf({ source, path, text }, pages) {
  const marked = new Marked({
    renderer: {
      html: ({ text: html }) => (html.trimStart().startsWith('<!--') ? '' : html),
      heading({ depth, tokens, text: heading }) {
        return `<h${depth} id="${slugOf(heading)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      code: ({ text: code }) => `<pre tabindex="0"><code>${escaped(code)}\n</code></pre>\n`,
      image: ({ href, text: alternative }) =>
        `<img src="${escaped(relative(path, `/docs/${posix.join(posix.dirname(source), href)}`))}" alt="${escaped(alternative)}">`,
      link({ href, tokens }) {
        const label = this.parser.parseInline(tokens);
        const target = targetOf(href);
        return target === undefined ? label : `<a href="${escaped(target)}">${label}</a>`;
      },
    },
  });
  /** @param {string} href */
  const targetOf = (href) => {
    if (/^(?:https?:|#)/.test(href)) return href;
    const [file = '', fragment] = href.split('#', 2);
    const named = posix.join(posix.dirname(source), file);
    const to = pages.get(named)?.path ?? (named === '../openapi.json' ? '/openapi.json' : undefined);
    return to === undefined ? undefined : relative(path, to) + (fragment === undefined ? '' : `#${fragment}`);
  };
  const html = marked.parse(text, { async: false });
  return html
    .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>')
    .replaceAll('<th></th>', '<td></td>');
}

/**
 * A link that also works where a proxy serves us under a path of its own.
 * @param {string} from
 * @param {string} to
 */
function relative(from, to) {
  return posix.relative(posix.dirname(from), to);
}

/** As repositories' pages make it. @param {string} heading */
function slugOf(heading) {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

const sections = [
  ['Start', /^(?:README|getting-started|concepts)\.md$/],
  ['Guides', /^guides\//],
  ['Operations', /^operations\//],
  ['Reference', /^reference\//],
];

/**
 * The list of all pages.
 * @param {readonly Page[]} pages
 * @param {Page} shown
 */
function contentsOf(pages, shown) {
  return sections
    .map(([heading, pattern]) => {
      const items = pages
        .filter(({ source }) => /** @type {RegExp} */ (pattern).test(source))
        .map((page) => {
          const current = page === shown ? ' aria-current="page"' : '';
          return `<li><a href="${relative(shown.path, page.path)}"${current}>${escaped(page.title)}</a></li>`;
        });
      return `<h2>${String(heading)}</h2><ul>${items.join('')}</ul>`;
    })
    .join('');
}

/** The dashboard as Vite has built it; names of its assets hold their hash. */
function addDashboard() {
  const built = join(root, '.cache', 'web');
  // Addresses of the page are below those of the site, so its own cannot be relative; the service puts a base path before them.
  add('/', 'dashboard.html', readFileSync(join(built, 'index.html'), 'utf8').replaceAll('="./', '="/'));
  for (const name of readdirSync(join(built, 'assets'))) {
    add(`/assets/${name}`, `dashboard/${name}`, readFileSync(join(built, 'assets', name)), { immutable: true });
  }
  const dashboard = files['/'];
  const manifest = /** @type {Manifest} */ (JSON.parse(readFileSync(join(built, '.vite', 'manifest.json'), 'utf8')));
  if (dashboard !== undefined) dashboard.parts = partsIn(manifest);
}

/** @typedef {Readonly<Record<string, { file: string, name?: string, isEntry?: boolean, imports?: string[] }>>} Manifest */

/**
 * The scripts of each part that is loaded later, beside those that every page loads.
 * @param {Manifest} manifest as Vite writes it
 * @returns {Record<string, string[]>} paths, by the name of the part
 */
function partsIn(manifest) {
  /** @param {readonly string[]} names */
  const loadedWith = (names) => {
    const loaded = new Set(names);
    for (const name of loaded) for (const imported of manifest[name]?.imports ?? []) loaded.add(imported);
    return loaded;
  };
  const names = Object.keys(manifest);
  const initial = loadedWith(names.filter((name) => manifest[name]?.isEntry === true));
  const later = names.filter((name) => !initial.has(name) && manifest[name]?.file.endsWith('.js') === true);
  return Object.fromEntries(
    later.map((name) => [
      manifest[name]?.name ?? name,
      [...loadedWith([name])].filter((one) => !initial.has(one)).map((one) => `/${manifest[one]?.file ?? ''}`),
    ]),
  );
}

addDashboard();
const served = addAssets();
add('/docs', 'reference.html', filled(template('reference.html'), served));
for (const name of readdirSync(join(root, 'docs', 'pictures'))) {
  add(`/docs/pictures/${name}`, `pictures/${name}`, readFileSync(join(root, 'docs', 'pictures', name)));
}
const pages = readPages();
const bySource = new Map(pages.map((page) => [page.source, page]));
const guide = template('guide.html');
for (const page of pages) {
  const parts = {
    title: escaped(page.title),
    root: relative(page.path, '/x').slice(0, -1) || './',
    article: articleOf(page, bySource),
    contents: contentsOf(pages, page),
  };
  add(page.path, `${page.path.slice('/docs/'.length)}.html`, filled(guide, { ...served, ...parts }));
}
writeFileSync(join(output, 'files.json'), `${JSON.stringify(files, null, 1)}\n`);
