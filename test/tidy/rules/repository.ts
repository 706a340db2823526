import { type Lock, missingPackages } from '../../../scripts/lock.mjs';
import type { Rule, Violation } from '../rule.ts';

/** TRICKY: assembled from parts because this rule also reads this file. */
const machineFolders = [['work'], ['root'], ['tmp', 'probe']].map((parts) => `/${parts.join('/')}`);
const machinePath = new RegExp(`(?<![\\w.@-])(?:${machineFolders.join('|')})(?:/|-|\\b(?=probe))`);

/** npm's registry by name, or any registry by the form of its tarball addresses and settings. */
const registryHost = /\bregistry\.(?:npmjs|yarnpkg|npmmirror)\b|https?:\/\/\S+\/-\/\S+\.tgz|^\s*(?:@\w+:)?registry\s*=/;

/** Committed text names no machine and no registry: a clone works anywhere. */
export const noMachineTraces: Rule = {
  name: 'no machine traces',
  remedy: 'Use a relative path, os.tmpdir() or a setting; leave registries to the configuration of npm.',
  find: ({ files }) =>
    [...files].flatMap(([path, text]) =>
      text.split('\n').flatMap((line, index): Violation[] => {
        const found = machinePath.exec(line)?.[0] ?? registryHost.exec(line)?.[0];
        return found === undefined ? [] : [{ path, line: index + 1, what: `the text holds ${found.trim()}` }];
      }),
    ),
};

/** Files that a page names in full. Snapshots of earlier releases name files of their own time. */
const namedFile = /(?<![\w./@-])(?:src|test|bench|scripts)\/[\w./-]+\.(?:ts|cts|mjs)\b/g;
const pagesOfToday = /^(?:[A-Z]+|docs\/(?!internals\/(?:decisions|soak)\/).+)\.md$/;

/** A page names only files that exist. */
export const namedFiles: Rule = {
  name: 'named files',
  remedy: 'Name the file by its present path.',
  find: ({ files }) =>
    [...files]
      .filter(([path]) => pagesOfToday.test(path))
      .flatMap(([path, text]) =>
        text
          .split('\n')
          .flatMap((line, index): Violation[] =>
            [...line.matchAll(namedFile)]
              .filter(([named]) => !files.has(named))
              .map(([named]) => ({ path, line: index + 1, what: `${named} does not exist` })),
          ),
      ),
};

const dependencyFields = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];
/** A second version of a package has an alias here, and the package name behind `npm:`. */
const exactVersion = /^(?:npm:(?:@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/;

/** Installations get exactly the tested versions. */
export const exactVersions: Rule = {
  name: 'exact versions',
  remedy: 'Install with npm install --save-exact.',
  find: ({ files }) =>
    [...files].filter(([path]) => /(?:^|\/)package\.json$/.test(path)).flatMap(([path, text]) => looseVersions(path, text)),
};

function looseVersions(path: string, text: string): Violation[] {
  const manifest = JSON.parse(text) as Readonly<Record<string, Readonly<Record<string, string>> | undefined>>;
  const lines = text.split('\n');
  return dependencyFields
    .flatMap((field) => Object.entries(manifest[field] ?? {}))
    .filter(([, version]) => !exactVersion.test(version))
    .map(([name, version]) => ({ path, line: lines.findIndex((line) => line.includes(`"${name}":`)) + 1, what: `${name} is ${version}` }));
}

/** `npm ci` rejects a lock file without the packages of other platforms. */
export const completeLock: Rule = {
  name: 'complete lock',
  remedy: 'Run node scripts/complete-lock.mjs.',
  find: ({ files }) => {
    const path = 'package-lock.json';
    const text = files.get(path);
    if (text === undefined) return [];
    return missingPackages(JSON.parse(text) as Lock).map((missing) => ({ path, line: 1, what: `${missing.path} has no entry` }));
  },
};
