import type { Rule } from './rule.ts';
import { publicDocstrings } from './rules/docstrings.ts';
import { environment, noConsole, pureRooms } from './rules/effects.ts';
import { noSuppressions, reasonedSkips } from './rules/honesty.ts';
import { knownRoom, noCycles, packageImports, roomImports } from './rules/imports.ts';
import { completeLock, exactVersions, noMachineTraces } from './rules/repository.ts';
import { fileLength, functionLength, noBarrels, noDefaultExports, parameterCount, tellingNames } from './rules/shape.ts';

/** Every rule that the repository is held to. */
export const rules: readonly Rule[] = [
  knownRoom,
  roomImports,
  packageImports,
  noCycles,
  noBarrels,
  noDefaultExports,
  tellingNames,
  fileLength,
  functionLength,
  parameterCount,
  publicDocstrings,
  pureRooms,
  environment,
  noConsole,
  noSuppressions,
  reasonedSkips,
  noMachineTraces,
  exactVersions,
  completeLock,
];
