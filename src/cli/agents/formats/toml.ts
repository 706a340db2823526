import { parse, patch } from '@decimalturn/toml-patch';
import { type Edit, type Format, isGroup } from './format.ts';
import { edited } from './memory.ts';

export const toml: Format = {
  empty: '',
  parse: readToml,
  edit: (text, edit: Edit) => patch(text, edited(readToml(text), edit)),
};

function readToml(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = parse(text);
  if (!isGroup(value)) throw new Error('it holds no table');
  return value;
}
