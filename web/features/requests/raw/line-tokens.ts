/** A piece of a line to colour. */
export interface JsonToken {
  readonly kind: 'name' | 'string' | 'number' | 'word';
  readonly from: number;
  readonly to: number;
}

const tokenShape = /"(?:[^"\\]|\\.)*"?(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g;

/** The tokens of one line of laid out JSON. */
export function lineTokens(line: string): readonly JsonToken[] {
  return Array.from(line.matchAll(tokenShape), ({ 0: token, 1: nameEnd, index }) => {
    const to = index + token.length - (nameEnd?.length ?? 0);
    return { kind: kindOf(token, nameEnd), from: index, to };
  });
}

function kindOf(token: string, nameEnd: string | undefined): JsonToken['kind'] {
  if (token.startsWith('"')) return nameEnd === undefined ? 'string' : 'name';
  return /^[-\d]/.test(token) ? 'number' : 'word';
}
