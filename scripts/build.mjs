/** `npm run build`: compiles `src/` into `dist/` unless it is up to date. */
import { prepared, program } from './prepare.mjs';

await prepared([program], () => undefined);
