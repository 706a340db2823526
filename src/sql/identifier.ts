import { type Fragment, fragmentOf } from './sql.ts';

/** A column, alias or table name in backticks; it may hold any characters. @throws TypeError for an empty name. */
export function identifier(name: string): Fragment {
  if (name === '') throw new TypeError('An identifier needs at least one character.');
  const escaped = name.toWellFormed().replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('\0', '\\0');
  return fragmentOf([`\`${escaped}\``]);
}

/** A column name without backticks. @throws TypeError for a name that needs them. */
export function columnName(name: string): Fragment {
  if (!/^[a-z][a-z0-9_]*$/.test(name)) throw new TypeError(`The name ${name} needs backticks.`);
  return fragmentOf([name]);
}
