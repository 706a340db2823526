/** Writes the types of `src/client`, which are not committed: `npm run build`, `npm run check` and `npm test` do it by themselves. */
import { makeClientTypes } from './prepare.mjs';

makeClientTypes();
