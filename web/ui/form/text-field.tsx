import type { ReactNode } from 'react';
import { FieldError, Input, Label, Text, TextArea, TextField as AriaTextField } from 'react-aria-components';
import styles from './field.module.css';

export interface TextFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Helps before anything is wrong. */
  readonly about?: ReactNode;
  /** What is wrong with the value; undefined: nothing. */
  readonly fault?: string | undefined;
  readonly name?: string;
  readonly type?: 'text' | 'password' | 'email' | 'url' | 'search';
  readonly placeholder?: string;
  readonly isRequired?: boolean;
  readonly isDisabled?: boolean;
  readonly isCode?: boolean;
  readonly autoFocus?: boolean;
  /** Lines of a text of several lines; absent: one line. */
  readonly lines?: number;
  readonly isLabelShown?: boolean;
  /** Identifier of a list of texts that are offered. */
  readonly list?: string;
}

/** A text with its label, what helps, and what is wrong. */
export function TextField({
  label,
  about,
  fault,
  placeholder,
  isCode = false,
  lines,
  isLabelShown = true,
  list,
  ...field
}: TextFieldProps): ReactNode {
  const className = `${styles['input'] ?? ''} ${isCode ? (styles['code'] ?? '') : ''}`;
  const input = { placeholder: placeholder ?? '', spellCheck: false, autoComplete: 'off' };
  return (
    <AriaTextField {...field} isInvalid={fault !== undefined} className={styles['field'] ?? ''}>
      <Label className={isLabelShown ? (styles['label'] ?? '') : 'visually-hidden'}>{label}</Label>
      {lines === undefined ? (
        <Input {...input} list={list} className={className} />
      ) : (
        <TextArea {...input} rows={lines} className={className} />
      )}
      {about !== undefined && (
        <Text slot="description" className={styles['about'] ?? ''}>
          {about}
        </Text>
      )}
      <FieldError className={styles['fault'] ?? ''}>{fault}</FieldError>
    </AriaTextField>
  );
}
