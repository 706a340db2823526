import { addressedProviders } from '../../../src/model/providers/providers.ts';
import { lightProfiles, providerNamePaths } from '../law.ts';
import { isProduction, isWithin, type Rule, sourceRule } from '../rule.ts';
import { stringOf, walk } from '../source.ts';

const names: ReadonlySet<string> = new Set<string>([...addressedProviders, 'google', 'amazon']);

/** Differences between providers are rows of a table, not comparisons of names. */
export const providerNames: Rule = sourceRule(
  { name: 'provider names', remedy: 'Make it a fact in src/model/providers/table.ts or src/providers/<name>/wire.ts and read it there.' },
  (source) => {
    const { path, program, lineOf, imports } = source;
    if (!isProduction(path) || isWithin(path, Object.keys(providerNamePaths))) return [];
    const specifiers = new Set(imports.map(({ specifier }) => specifier));
    const found: { line: number; what: string }[] = [];
    walk(program, (node) => {
      const text = stringOf(node);
      // A sentence may name a provider.
      if (text === undefined || specifiers.has(text) || /\s/.test(text)) return;
      const name = text.split(/[^a-zA-Z0-9]+/).find((word) => names.has(word));
      if (name !== undefined) found.push({ line: lineOf(node.start), what: `"${text}" names the provider ${name}` });
    });
    return found;
  },
);

/** Each worker of the gateway loads the facts when it starts. */
export const factsWithoutParsers: Rule = sourceRule(
  { name: 'facts without parsers', remedy: 'Import only types and other files of facts: the gateway loads them without any parser.' },
  ({ path, imports }) =>
    lightProfiles.test(path)
      ? imports
          .filter(({ specifier, typeOnly }) => !typeOnly && !/(?:^|\/)wire(?:-facts)?\.ts$/.test(specifier))
          .map(({ specifier, line }) => ({ line, what: `a file of facts imports ${specifier}` }))
      : [],
);
