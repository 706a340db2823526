import { acrossOrganizationsCallers, organizationTables, statementWriters } from '../law-of-statements.ts';
import { isProduction, isWithin, type Rule, sourceRule } from '../rule.ts';
import { stringOf, walk } from '../source.ts';

const named = `(?:${organizationTables.join('|')})\\b|…`;
const statement = new RegExp(
  `\\b(?:(?:FROM|JOIN|INTO|UPDATE|TABLE)\\s+\`?(?:${named})|IN\\s*\\(?\\s*\`?(?:${organizationTables.join('|')})\\b)`,
);

/** Only the builder binds a statement to an organisation; one written as text does not. */
export const builtStatements: Rule = sourceRule(
  { name: 'built statements', remedy: 'Build it with `src/sql`: rows of an organisation bring its condition with them.' },
  ({ path, program, lineOf }) => {
    if (!isProduction(path) || isWithin(path, statementWriters)) return [];
    const found: { line: number; what: string }[] = [];
    walk(program, (node) => {
      const text = statement.exec(stringOf(node) ?? '')?.[0];
      if (text !== undefined) found.push({ line: lineOf(node.start), what: `"${text}" names a table in a text` });
    });
    return found;
  },
);

/** Code that reads or changes rows of every organisation is on a list that a reviewer sees. */
export const namedAcross: Rule = sourceRule(
  {
    name: 'named across organisations',
    remedy: 'Name the organisation (`ownRows`); where a statement is about the store as a whole, add the file in `test/tidy/law.ts`.',
  },
  ({ path, imports }) =>
    isProduction(path) && !isWithin(path, acrossOrganizationsCallers)
      ? imports
          .filter(({ names, specifier }) => names.includes('acrossOrganizations') && specifier.endsWith('/tables.ts'))
          .map(({ line }) => ({ line, what: 'rows of every organisation' }))
      : [],
);
