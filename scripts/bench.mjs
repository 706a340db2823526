/** `npm run bench -- <name>`: runs `bench/<name>.ts`. */
import { runExperiment } from './experiment.mjs';

await runExperiment('npm run bench', 'bench');
