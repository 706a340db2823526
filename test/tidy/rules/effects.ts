import { ambient, consoleWriters, environmentReaders, impurePaths, purePaths } from '../law.ts';
import { globalUses } from '../globals.ts';
import { isProduction, isWithin, type Rule, sourceRule } from '../rule.ts';

/** Pure rooms only compute: the same input gives the same output. */
export const pureRooms: Rule = sourceRule(
  { name: 'pure rooms', remedy: 'Take the value as a parameter, or move the effect to the room that calls this one.' },
  (source) => {
    if (!isProduction(source.path) || !isWithin(source.path, purePaths) || isWithin(source.path, impurePaths)) return [];
    const modules = source.imports.filter(({ specifier }) => specifier.startsWith('node:'));
    const uses = globalUses(source).filter(({ name, use }) => ambient.has(name) || ambient.has(use));
    return [
      ...modules.map(({ specifier, line }) => ({ line, what: `a pure room imports ${specifier}` })),
      ...uses.map(({ use, line }) => ({ line, what: `a pure room uses ${use}` })),
    ];
  },
);

/** Only the configuration reads the environment. */
export const environment: Rule = sourceRule(
  { name: 'environment', remedy: 'Give the setting a row in src/config and take its value as a parameter.' },
  (source) => {
    if (!source.path.startsWith('src/') || !isProduction(source.path) || isWithin(source.path, environmentReaders)) return [];
    const imports = source.imports.filter(({ specifier, names }) => /^(node:)?process$/.test(specifier) && names.includes('env'));
    const uses = globalUses(source).filter(({ use }) => /^process\.(env|\{.*\benv\b.*\})$/.test(use));
    return [...imports, ...uses].map(({ line }) => ({ line, what: 'process.env is read outside of src/config' }));
  },
);

/** Events are Observations, not lines on the console. */
export const noConsole: Rule = sourceRule(
  { name: 'no console', remedy: 'Emit an Observation; only src/cli speaks to people.' },
  (source) => {
    if (!source.path.startsWith('src/') || !isProduction(source.path) || isWithin(source.path, consoleWriters)) return [];
    return globalUses(source)
      .filter(({ name }) => name === 'console')
      .map(({ use, line }) => ({ line, what: `${use} is used` }));
  },
);
