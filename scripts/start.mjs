/**
 * `npm start` and `npm run demo`: prepares the clone and becomes `gatelog serve` or `gatelog demo`, in this process, so that signals arrive
 * where they are handled.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepared, program, root } from './prepare.mjs';

await prepared([program], async () => {
  const main = join(root, program.output, 'cli', 'main.js');
  const [command, ...others] = process.argv.slice(2);
  const args = command === 'demo' ? ['demo', ...others] : ['serve', ...process.argv.slice(2)];
  process.argv = [process.execPath, main, ...args];
  await import(pathToFileURL(main).href);
});
