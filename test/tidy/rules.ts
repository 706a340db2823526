import type { Rule } from './rule.ts';
import { livingLinks, ownProgram, shortReadme } from './rules/documents.ts';
import { environment, noConsole, pureRooms } from './rules/effects.ts';
import { oneThingFolders, oneWayFolders } from './rules/folders.ts';
import { noSuppressions, polledPages, reasonedSkips } from './rules/honesty.ts';
import { knownRoom, noCycles, packageImports, roomImports, subRoomImports } from './rules/imports.ts';
import { factsWithoutParsers, providerNames } from './rules/provider-names.ts';
import { completeLock, exactVersions, namedFiles, noMachineTraces } from './rules/repository.ts';
import {
  fileLength,
  functionLength,
  hiddenMembers,
  noBarrels,
  noDefaultExports,
  parameterCount,
  searchedNames,
  tellingNames,
} from './rules/shape.ts';
import { followedWays } from './rules/ways.ts';
import { builtStatements, namedAcross } from './rules/statements.ts';

export const rules: readonly Rule[] = [
  knownRoom,
  roomImports,
  subRoomImports,
  packageImports,
  noCycles,
  oneWayFolders,
  noBarrels,
  noDefaultExports,
  tellingNames,
  searchedNames,
  oneThingFolders,
  fileLength,
  functionLength,
  parameterCount,
  hiddenMembers,
  providerNames,
  factsWithoutParsers,
  pureRooms,
  environment,
  noConsole,
  builtStatements,
  namedAcross,
  noSuppressions,
  reasonedSkips,
  polledPages,
  noMachineTraces,
  namedFiles,
  exactVersions,
  completeLock,
  shortReadme,
  livingLinks,
  ownProgram,
  followedWays,
];
