/** `npm run soak -- <name>`: runs `test/soak/<name>.ts`. */
import { runExperiment } from './experiment.mjs';

await runExperiment('npm run soak', 'test/soak', { commentIsHelp: true });
