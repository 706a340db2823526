/**
 * Joins the modules of `src/`, and packages of many files, into few files in `dist/`. A start would load some thousand modules in three
 * processes, and half of its time would go into finding and linking them one by one. Files that something starts by their path keep it;
 * all others lie joined in `dist/joined/`.
 */
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { rolldown } from 'rolldown';
import { root } from './prepare.mjs';

const [source, target] = [join(root, 'src'), join(root, 'dist')];

/** The command, and the files of processes and threads that it starts. */
const entries = [
  'cli/main',
  'gateway/bodies/thread/worker',
  'ingest/imports/line-worker',
  'ingest/worker/worker-main',
  'intake/logs/worker',
  'intake/spans/worker',
  'main/metadata-worker',
  'state/check-worker',
];

/** Packages of JavaScript alone that would load hundreds of files. */
const joinedPackages = ['@clickhouse/client', 'hono', 'kysely', 'uuid', 'zod'];

/** `@scope/name/file` → `@scope/name`. @param {string} id */
const packageOf = (id) => id.split('/', id.startsWith('@') ? 2 : 1).join('/');

const besideIt = /new URL\('\.\/([\w/-]+)\.js', import\.meta\.url\)/g;

/**
 * A module finds other files by its own address, which would be that of the joined file. All of these lie in one folder, so the way from
 * there to the module's place is the same in each.
 * @type {import('rolldown').Plugin}
 */
const ownPlaces = {
  name: 'own places',
  transform(code, id) {
    if (!code.includes('import.meta.url') || !id.startsWith(source)) return null;
    const place = relative(source, id).replace(/\.ts$/, '.js');
    for (const [, name = ''] of code.matchAll(besideIt)) {
      const started = join(place, '..', name);
      if (!entries.includes(started)) throw new Error(`scripts/bundle.mjs does not name ${started}, which ${id} starts.`);
    }
    const address = `new URL(${JSON.stringify(`../${place}`)}, import.meta.url).href`;
    return { code: code.replaceAll('import.meta.url', address), map: null };
  },
};

const bundle = await rolldown({
  input: Object.fromEntries(entries.map((name) => [name, join(source, `${name}.ts`)])),
  platform: 'node',
  // As package.json says; without it statements stay that Node 20 cannot read.
  transform: { target: 'node20.19' },
  // The other packages are installed beside this one; the helpers are the compiler's own.
  external: (id) => !/^[./]|^@oxc-project\/runtime\//.test(id) && !joinedPackages.includes(packageOf(id)),
  plugins: [ownPlaces],
});
await bundle.write({
  dir: target,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'joined/[name]-[hash].js',
  sourcemap: true,
  keepNames: true,
});

const licences = joinedPackages.map((name) => {
  const folder = join(root, 'node_modules', name);
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${name} has no licence to be shipped with it.`);
  return `${name}\n\n${readFileSync(join(folder, file), 'utf8')}`;
});
writeFileSync(join(target, 'joined', 'licences.txt'), licences.join('\n\n'));

// The command itself is JavaScript but for the name of what it imports, and no module.
const command = join(target, 'cli', 'gatelog.cjs');
writeFileSync(command, readFileSync(join(source, 'cli', 'gatelog.cts'), 'utf8').replace("'./main.ts'", "'./main.js'"));
// As npm does for a package's commands: else `npx --no-install gatelog` in the clone may not start it.
chmodSync(command, 0o755);
