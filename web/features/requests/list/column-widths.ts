import { useState } from 'react';

const key = 'gatelog.column-widths';
/** Pixels. */
export const columnLimits = { min: 48, max: 800 } as const;

export type ColumnWidths = Readonly<Record<string, number>>;

/** Widths in pixels that somebody has given to columns; this browser keeps them. */
export function useColumnWidths(): readonly [ColumnWidths, (id: string, width: number) => void] {
  const [widths, setWidths] = useState(stored);
  const setWidth = (id: string, width: number): void => {
    const changed = { ...widths, [id]: Math.round(Math.min(columnLimits.max, Math.max(columnLimits.min, width))) };
    setWidths(changed);
    localStorage.setItem(key, JSON.stringify(changed));
  };
  return [widths, setWidth];
}

function stored(): ColumnWidths {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? '{}');
    return Object.fromEntries(
      Object.entries(value ?? {}).filter((entry): entry is [string, number] => typeof entry[1] === 'number' && Number.isFinite(entry[1])),
    );
  } catch {
    return {};
  }
}
