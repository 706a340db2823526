import type { SeededRandom } from '../base/seeded-random.ts';

export const reportTitles = ['Sales of yesterday', 'Returns by reason', 'Stock that runs low', 'Questions of customers'] as const;

const rowsOf: Readonly<Record<(typeof reportTitles)[number], readonly [string, ...string[]]>> = {
  'Sales of yesterday': [
    'Desk lamps',
    'Ceiling lamps',
    'Floor lamps',
    'Outdoor lights',
    'Bulbs',
    'Tables',
    'Chairs',
    'Shelves',
    'Sofas',
    'Mirrors',
  ],
  'Returns by reason': ['Damaged on arrival', 'Changed mind', 'Too large', 'Colour differs', 'Flickers', 'Wrong article'],
  'Stock that runs low': ['Alva desk lamp', 'Lysa bulb', 'Fjell table', 'Grid shelf', 'Halden sofa', 'Isla chair', 'Moln pendant'],
  'Questions of customers': ['Where is my order', 'Returns', 'Payment', 'Warranty', 'Delivery abroad', 'Assembly'],
};

const units: Readonly<Record<(typeof reportTitles)[number], string>> = {
  'Sales of yesterday': 'orders',
  'Returns by reason': 'returns',
  'Stock that runs low': 'pieces left',
  'Questions of customers': 'questions',
};

interface Row {
  readonly name: string;
  readonly before: number;
  readonly now: number;
}

export interface ReportSection {
  /** A table. */
  readonly figures: string;
  /** What they say. */
  readonly text: string;
}

/** Figures of a day and of the day before, and the section that follows from them. */
export function reportSection(random: SeededRandom, title: (typeof reportTitles)[number]): ReportSection {
  const rows: readonly Row[] = rowsOf[title].map((name) => {
    const before = random.between(8, 240);
    return { name, before, now: Math.max(1, Math.round(before * (0.7 + random.next() * 0.7))) };
  });
  const figures = ['name,day before,yesterday', ...rows.map(({ name, before, now }) => `${name},${before},${now}`)].join('\n');
  return { figures, text: textOf(rows, units[title]) };
}

function textOf(rows: readonly Row[], unit: string): string {
  const [before, now] = (['before', 'now'] as const).map((day) => rows.reduce((sum, row) => sum + row[day], 0)) as [number, number];
  const change = Math.round(((now - before) / before) * 100);
  const most = rows.toSorted((one, other) => other.now - one.now)[0];
  const moved = rows.toSorted((one, other) => Math.abs(other.now - other.before) - Math.abs(one.now - one.before))[0];
  const direction = change === 0 ? 'as on the day before' : `${Math.abs(change)} per cent ${change > 0 ? 'above' : 'below'} the day before`;
  return [
    `${now} ${unit} in all, ${direction}.`,
    `Most of them: ${most?.name ?? ''} with ${most?.now ?? 0}.`,
    `${moved?.name ?? ''} moved most, from ${moved?.before ?? 0} to ${moved?.now ?? 0}.`,
  ].join(' ');
}
