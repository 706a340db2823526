/**
 * `node scripts/complete-lock.mjs [folder]`: adds to package-lock.json (of the project, or of a folder in it) the packages for other platforms that npm has left out of it (npm issue 4828),
 * without which `npm ci` refuses the lock. Run it after `npm install`; `test/tidy.test.ts` fails when it is needed.
 * An added entry has a version and its platform, no checksum: npm takes that from the registry on the platform that needs it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { missingPackages } from './lock.mjs';
import { root } from './prepare.mjs';

const [folder = ''] = process.argv.slice(2);
const file = join(root, folder, 'package-lock.json');

/** Words in the names of platform packages, and the fields of the lock that they stand for. */
const words = /** @type {const} */ ({
  os: ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'],
  cpu: ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'],
});

/** @type {Readonly<Record<string, string>>} */
const libcOfWord = { gnu: 'glibc', gnueabihf: 'glibc', musl: 'musl', musleabihf: 'musl' };

const lock = /** @type {import('./lock.mjs').Lock} */ (JSON.parse(readFileSync(file, 'utf8')));
const missing = missingPackages(lock);
for (const { path, version, dev } of missing) {
  lock.packages[path] = { version, ...platformOf(path), ...(dev ? { dev } : {}), optional: true };
}
const inOrder = Object.entries(lock.packages).toSorted(([left], [right]) => left.localeCompare(right, 'en'));
writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(inOrder) }, null, 2)}\n`);
console.log(missing.length === 0 ? 'The lock is complete.' : `Added ${missing.map(({ path }) => path).join('\n      ')}`);

/**
 * @param {string} path such as node_modules/@oxfmt/binding-linux-x64-gnu
 * @returns {{ os?: string[], cpu?: string[], libc?: string[] }}
 */
function platformOf(path) {
  const parts = path.split(/[/-]/);
  const os = words.os.filter((word) => parts.includes(word));
  const cpu = words.cpu.filter((word) => parts.includes(word));
  const libc = os.includes('linux') ? parts.flatMap((part) => libcOfWord[part] ?? []) : [];
  if (os.length === 0 && cpu.length === 0) throw new Error(`${path} names no platform; is it missing for another reason?`);
  return { ...(os.length > 0 ? { os } : {}), ...(cpu.length > 0 ? { cpu } : {}), ...(libc.length > 0 ? { libc } : {}) };
}
