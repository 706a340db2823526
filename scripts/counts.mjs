/**
 * `node scripts/counts.mjs`: how big the program is and what changes cost, as a table to keep and to compare with: lines and statements, files
 * that the last example of each kind of change touches, folders that import each other, and double casts. Tests and made files do not count.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseSync, visitorKeys } from 'oxc-parser';
import { root } from './prepare.mjs';

/** @typedef {{ path: string, text: string, statements: number, casts: number, imports: readonly string[] }} Source */

const uncounted = /\.test\.tsx?$|\/(?:testing|__fixtures__)\/|^src\/client\/(?:types|endpoints)\//;

/**
 * Kinds of changes, each by the last that was made of it. A file belongs to the change when it names the example, unless it is one of those that
 * only use it. "How to add" in CONTRIBUTING says under the same title which files these are.
 * @type {readonly { title: string, example: RegExp, uses: RegExp }[]}
 */
const kinds = [
  { title: 'An endpoint.', example: /\/v1\/rules\/apply|\bruleSet\w*Schema\b|'applyRules'|applyRules:/, uses: /^src\/cli\// },
  { title: 'An alert channel.', example: /'teams'|\bteams:|\bTeams\b/, uses: /^$/ },
  { title: 'An export format.', example: /parquet/i, uses: /^src\/(?:client|cli\/import)\// },
  { title: 'A provider.', example: /cohere/i, uses: /^src\/(?:pricing|providers\/amazon|otlp\/calls)\// },
  { title: 'A metric.', example: /\bcached_count\b/, uses: /^src\/mcp\/|^web\/features\/overview\// },
  {
    title: 'A filterable field',
    example: /\bcountry_code\b/,
    uses: /^src\/(?:cli|ingest|store|contract|query\/(?:alerts|metrics))\/|^web\//,
  },
  { title: 'A page of the dashboard.', example: /features\/health\/|'\/health'|\bfunction HealthPage\b/, uses: /^src\// },
];

const sources = ['src', 'web'].flatMap((folder) => filesBelow(folder).map(read));
const src = sources.filter(({ path }) => path.startsWith('src/'));
const web = sources.filter(({ path }) => path.startsWith('web/'));
const main = sources.filter(({ path }) => path.startsWith('src/main/'));

/**
 * @param {string} folder
 * @returns {string[]} sources below it that count
 */
function filesBelow(folder) {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => posix.join(folder, name.replaceAll('\\', '/')))
    .filter((path) => /\.(?:ts|tsx|cts)$/.test(path) && !uncounted.test(path))
    .toSorted();
}

/**
 * @param {string} path
 * @returns {Source}
 */
function read(path) {
  const text = readFileSync(join(root, path), 'utf8');
  const { program } = parseSync(path, text);
  /** @type {string[]} */
  const imports = [];
  let statements = 0;
  let casts = 0;
  visit(program, (node) => {
    if (isStatement(node)) statements += 1;
    if (isDoubleCast(node)) casts += 1;
    const { source } = /** @type {{ source?: { value?: unknown } | null }} */ (node);
    if (typeof source?.value === 'string' && source.value.startsWith('.')) imports.push(posix.join(posix.dirname(path), source.value));
  });
  return { path, text, statements, casts, imports };
}

/**
 * @typedef {import('oxc-parser').Node} Node
 * @param {Node} node
 * @param {(node: Node) => void} each
 */
function visit(node, each) {
  each(node);
  const fields = /** @type {Record<string, unknown>} */ (/** @type {unknown} */ (node));
  for (const child of (visitorKeys[node.type] ?? []).flatMap((key) => [fields[key]].flat())) {
    if (typeof child === 'object' && child !== null && 'type' in child) visit(/** @type {Node} */ (child), each);
  }
}

/** What runs: neither blocks nor types nor imports. @param {Node} node */
function isStatement({ type }) {
  return (type.endsWith('Statement') && type !== 'BlockStatement') || type === 'VariableDeclaration';
}

/** `x as unknown as T`, or `x as never`. @param {Node} node */
function isDoubleCast(node) {
  if (node.type !== 'TSAsExpression') return false;
  const inner = node.expression;
  return (
    node.typeAnnotation.type === 'TSNeverKeyword' || (inner.type === 'TSAsExpression' && inner.typeAnnotation.type === 'TSUnknownKeyword')
  );
}

/** @param {readonly Source[]} some */
function sizeOf(some) {
  const lines = some.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0);
  const statements = some.reduce((sum, each) => sum + each.statements, 0);
  return { files: some.length, lines, statements };
}

/**
 * Paths in the paragraph of CONTRIBUTING that begins with a title; `<name>` stands for any.
 * @param {string} title
 * @returns {readonly RegExp[]}
 */
function statedFor(title) {
  const paragraphs = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').split('\n\n');
  const at = paragraphs.findIndex((each) => each.startsWith(`**${title}`));
  const list = paragraphs[at + 1]?.startsWith('1. ') === true ? paragraphs[at + 1] : '';
  const paths = `${paragraphs[at] ?? ''}${list}`.match(/`(?:src|web)\/[\w./<>*-]+`/g) ?? [];
  return paths.map(
    (path) =>
      new RegExp(
        `^${path
          .slice(1, -1)
          .replaceAll('.', '\\.')
          .replaceAll(/<\w+>|\*/g, '[^/]+')}`,
      ),
  );
}

/** Folders of one room that import each other, each pair once. @returns {Map<string, string[]>} by room */
function mutualFolders() {
  const edges = new Set(src.flatMap(({ path, imports }) => imports.map((target) => `${posix.dirname(path)} ${posix.dirname(target)}`)));
  const pairs = [...edges].filter((edge) => {
    const [from = '', to = ''] = edge.split(' ');
    return from < to && roomOf(from) === roomOf(to) && edges.has(`${to} ${from}`);
  });
  /** @type {Map<string, string[]>} */
  const found = new Map();
  for (const pair of pairs) found.set(roomOf(pair), [...(found.get(roomOf(pair)) ?? []), pair]);
  return found;
}

/** @param {string} path */
function roomOf(path) {
  return path.split(/[/ ]/, 2)[1] ?? '';
}

/** @type {[string, string | number, string][]} */
const rows = [
  ...[
    /** @type {const} */ (['src', src]),
    /** @type {const} */ (['web', web]),
    /** @type {const} */ (['src/main', main]),
  ].flatMap(([name, some]) => {
    const { files, lines, statements } = sizeOf(some);
    return /** @type {[string, string | number, string][]} */ ([[`lines of ${name}`, lines, `${files} files, ${statements} statements`]]);
  }),
  ...kinds.map(({ title, example, uses }) => {
    const touched = sources.filter(({ path, text }) => example.test(`${path}\n${text}`) && !uses.test(path)).map(({ path }) => path);
    const stated = statedFor(title);
    const beyond = touched.filter((path) => !stated.some((each) => each.test(path)));
    const note = beyond.length === 0 ? 'all in CONTRIBUTING' : `not in CONTRIBUTING: ${beyond.join(', ')}`;
    return /** @type {[string, string | number, string]} */ ([`files for ${title.replaceAll(/^An? |\.$/g, '')}`, touched.length, note]);
  }),
  ...[...mutualFolders()]
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(
      ([room, pairs]) =>
        /** @type {[string, string | number, string]} */ ([`folder pairs that import each other in ${room}`, pairs.length, '']),
    ),
  ['double casts', sources.reduce((sum, { casts }) => sum + casts, 0), ''],
];

const width = Math.max(...rows.map(([name]) => name.length));
for (const [name, value, note] of rows) console.log(`${name.padEnd(width)}  ${String(value).padStart(7)}  ${note}`.trimEnd());
