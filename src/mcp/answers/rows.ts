export interface Column<Item> {
  readonly name: string;
  /** Undefined and empty values are written as null. */
  readonly cell: (item: Item) => unknown;
  /** Text that was cut to the size that was asked for. */
  readonly isExcerpt?: true;
}

/** Lines of JSON arrays, the first one with the names; columns without any value are left out. */
export interface Table {
  readonly head: string;
  readonly lines: readonly string[];
}

/** Characters of a cell. */
export interface CellLimits {
  readonly name: number;
  readonly excerpt: number;
}

export function tableOf<Item>(items: readonly Item[], columns: readonly Column<Item>[], limits: CellLimits): Table {
  const cells = columns.map(({ name, cell, isExcerpt }) => {
    const limit = isExcerpt === true ? limits.excerpt : limits.name;
    return { name, values: items.map((item) => plain(clippedCell(cell(item), limit))) };
  });
  const used = cells.filter(({ values }) => values.some((value) => value !== null));
  return {
    head: JSON.stringify(used.map(({ name }) => name)),
    lines: items.map((_, index) => JSON.stringify(used.map(({ values }) => values[index]))),
  };
}

function plain(value: unknown): unknown {
  if (value === undefined || value === '') return null;
  if (typeof value === 'object' && value !== null && Object.keys(value).length === 0) return null;
  return value;
}

/** Texts, and names and values of objects, of at most so many characters; an object of at most three times as many. */
export function clippedCell(value: unknown, limit: number): unknown {
  if (typeof value === 'string') return clipped(value, limit);
  if (Array.isArray(value)) return value.map((item) => clippedCell(item, limit));
  if (typeof value !== 'object' || value === null) return value;
  const kept: [string, unknown][] = [];
  let left = 3 * limit;
  for (const [name, inner] of Object.entries(value as Readonly<Record<string, unknown>>)) {
    const entry: [string, unknown] = [clipped(name, limit), clippedCell(inner, limit)];
    left -= JSON.stringify(entry).length;
    if (left < 0) return Object.fromEntries([...kept, ['…', Object.keys(value).length - kept.length]]);
    kept.push(entry);
  }
  return Object.fromEntries(kept);
}

function clipped(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit).toWellFormed()}…`;
}

/** Money and averages with at most so many digits that count; whole numbers stay. */
export function rounded(value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(digits)) : value;
}

const digits = 7;
