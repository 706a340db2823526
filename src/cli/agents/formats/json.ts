import { applyEdits, type FormattingOptions, modify, parse, type ParseError, printParseErrorCode } from 'jsonc-parser';
import { type Format, isGroup } from './format.ts';

/** JSON with comments and trailing commas, which agents read; files without them stay without. */
export const json: Format = {
  empty: '{}\n',
  parse: (text) => {
    const errors: ParseError[] = [];
    const value: unknown = parse(text, errors, { allowTrailingComma: true });
    const [error] = errors;
    if (error !== undefined) throw new Error(`${printParseErrorCode(error.error)} at character ${error.offset + 1}`);
    if (!isGroup(value)) throw new Error('it holds no object');
    return value;
  },
  edit: (text, { at, value, insert = false }) =>
    applyEdits(text, modify(text, [...at], value, { formattingOptions: spacesOf(text), isArrayInsertion: insert })),
};

const defaultSpaces = 2;

/** As the file has them. */
function spacesOf(text: string): FormattingOptions {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? ' '.repeat(defaultSpaces);
  return { insertSpaces: !indent.startsWith('\t'), tabSize: indent.length, eol: text.includes('\r\n') ? '\r\n' : '\n' };
}
