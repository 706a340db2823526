import type { ReactNode } from 'react';
import { TextField, type TextFieldProps } from './text-field.tsx';

export interface NumberFieldProps extends Omit<TextFieldProps, 'value' | 'onChange' | 'type' | 'lines' | 'fault'> {
  /** The text, as it is typed: `numberOf` reads it. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly fault?: string | undefined;
}

/** A number, typed as `1234.5`: grouped digits are not taken, as a comma means two things. */
export function NumberField({ fault, ...field }: NumberFieldProps): ReactNode {
  const text = field.value.trim();
  const own = text !== '' && numberOf(text) === undefined ? 'This is no number. Write it as 1234.5.' : undefined;
  return <TextField {...field} fault={own ?? fault} />;
}

/** @returns undefined: the text is empty or no number. */
export function numberOf(text: string): number | undefined {
  const trimmed = text.trim();
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(trimmed) ? Number(trimmed) : undefined;
}
