/** `npm start`: prepares the clone and becomes `gatelog serve`, in this process, so that signals arrive where they are handled. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepared, program, root } from './prepare.mjs';

await prepared([program], async () => {
  const main = join(root, program.output, 'cli', 'main.js');
  process.argv = [process.execPath, main, 'serve', ...process.argv.slice(2)];
  await import(pathToFileURL(main).href);
});
