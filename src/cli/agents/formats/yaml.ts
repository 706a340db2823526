import { type Document, isSeq, parseDocument } from 'yaml';
import { type Format, isGroup } from './format.ts';

export const yaml: Format = {
  empty: '',
  parse: (text) => {
    const value: unknown = read(text).toJS() ?? {};
    if (!isGroup(value)) throw new Error('it holds no map');
    return value;
  },
  edit: (text, { at, value, insert }) => {
    const document = read(text);
    if (value === undefined) document.deleteIn(at);
    else if (insert === true) insertInto(document, at, value);
    else document.setIn(at, document.createNode(value));
    return document.toString({ lineWidth: 0 });
  },
};

function insertInto(document: Document, at: readonly (string | number)[], value: unknown): void {
  const list = document.getIn(at.slice(0, -1));
  if (!isSeq(list)) throw new Error(`${at.slice(0, -1).join('.')} is no list`);
  list.items.splice(Number(at.at(-1)), 0, document.createNode(value));
}

function read(text: string): Document {
  const document = parseDocument(text);
  const [error] = document.errors;
  if (error !== undefined) throw new Error(error.message.split('\n')[0] ?? '');
  return document;
}
