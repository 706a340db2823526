import type { Node } from 'oxc-parser';
import { isProduction, type Rule, sourceRule } from '../rule.ts';
import type { SourceFile } from '../source.ts';

/** What other files may call says what it does: shapes, units and errors where the type does not. */
export const publicDocstrings: Rule = sourceRule(
  { name: 'public docstrings', remedy: 'Say above it what it gives, in which units, and what it throws.' },
  (source) =>
    isProduction(source.path)
      ? source.program.body.flatMap((statement) => {
          const name = nameOfExported(statement);
          if (name === undefined || hasDocstring(source, statement.start)) return [];
          return [{ line: source.lineOf(statement.start), what: `${name} is exported without a docstring` }];
        })
      : [],
);

/** The name of an exported function or class; undefined for every other statement. */
function nameOfExported(statement: Node): string | undefined {
  if (statement.type !== 'ExportNamedDeclaration') return undefined;
  const { declaration } = statement;
  const speaks = declaration?.type === 'FunctionDeclaration' || declaration?.type === 'ClassDeclaration';
  return speaks ? declaration.id?.name : undefined;
}

/** Whether a doc comment ends right above this place. */
function hasDocstring({ comments, text }: SourceFile, start: number): boolean {
  return comments.some(
    (comment) =>
      comment.type === 'Block' && comment.value.startsWith('*') && comment.end <= start && text.slice(comment.end, start).trim() === '',
  );
}
