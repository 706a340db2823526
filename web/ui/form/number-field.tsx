import type { ReactNode } from 'react';
import { TextField, type TextFieldProps } from './text-field.tsx';

/** What a number must be. */
export interface NumberBounds {
  readonly isWhole?: boolean;
  readonly min?: number;
  /** The number is greater. */
  readonly above?: number;
  readonly max?: number;
}

export interface NumberFieldProps extends Omit<TextFieldProps, 'value' | 'onChange' | 'type' | 'lines' | 'fault'> {
  /** The text, as it is typed: `numberOf` reads it. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly bounds?: NumberBounds | undefined;
}

/** A number, typed as `1234.5`: grouped digits are not taken, as a comma means two things. */
export function NumberField({ bounds, ...field }: NumberFieldProps): ReactNode {
  return <TextField {...field} fault={numberFault(field.value, bounds)} />;
}

/** @returns undefined: the text is empty or no number. */
export function numberOf(text: string): number | undefined {
  const trimmed = text.trim();
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed) ? Number(trimmed) : undefined;
}

const noNumber = 'This is not a number. Write it as 1234.5.';
const noWholeNumber = 'This is not a number. Write a whole number, such as 30.';
const shown = new Intl.NumberFormat();

/** What is wrong with a number as it is typed, as a sentence; undefined: nothing, or there is no text. */
export function numberFault(text: string, { isWhole = false, min, above, max }: NumberBounds = {}): string | undefined {
  if (text.trim() === '') return undefined;
  const number = numberOf(text);
  if (number === undefined) return isWhole ? noWholeNumber : noNumber;
  if (isWhole && !Number.isInteger(number)) return 'Write a whole number, such as 30.';
  if (above !== undefined && number <= above) return `Write more than ${shown.format(above)}.`;
  if (min !== undefined && number < min) return `Write at least ${shown.format(min)}.`;
  if (max !== undefined && number > max) return `Write at most ${shown.format(max)}.`;
  return undefined;
}
