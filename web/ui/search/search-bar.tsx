import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { conditionsIn } from '../../../src/query/filter/ast.ts';
import { describeFilter } from '../../../src/query/filter/describe.ts';
import { otherCases } from '../../lib/property-case.ts';
import { propertyNamesQuery } from '../../lib/property-names.ts';
import { doubted, readSearch, type ReadSearch, useReadSearch } from '../../lib/read-search.ts';
import { useCompletionList } from './use-completion-list.ts';
import { InlineButton } from '../inline-button.tsx';
import styles from './search-bar.module.css';

export interface SearchBarProps {
  readonly value: string;
  readonly onChange: (text: string) => void;
  /** Every edit is told, faults too: part of a form that is sent as a whole. */
  readonly isLive?: boolean;
  /** A search was sent that cannot be read; false: what is written can be. */
  readonly onRefused?: (isRefused: boolean) => void;
}

/**
 * The search as text. Below it stands what it means, or what is wrong with it and where. Enter searches; while one writes, names and stored
 * values are offered.
 */
export function SearchBar({ value, onChange, isLive = false, onRefused }: SearchBarProps): ReactNode {
  const [text, setText] = useState(value);
  const [sent, setSent] = useState(value);
  const meaning = useId();
  // The address may change without this field: back, forward, a click on a value.
  if (sent !== value) {
    setSent(value);
    setText(value);
  }
  const read = useReadSearch(text);
  const write = (written: string): void => {
    setText(written);
    if (readSearch(written).fault === undefined) onRefused?.(false);
    if (isLive) onChange(written);
  };
  const accept = (completed: string): void => {
    setText(completed);
    onRefused?.(false);
    onChange(completed);
  };
  return (
    <form
      role="search"
      className={styles['search']}
      onSubmit={(event) => {
        event.preventDefault();
        if (read.fault !== undefined) onRefused?.(true);
        else if (!isLive) onChange(text.trim());
      }}
    >
      <Field text={text} onText={write} onAccept={accept} isInvalid={read.fault !== undefined} describedBy={meaning} />
      <Meaning id={meaning} {...{ read, text }} onAccept={accept} />
    </form>
  );
}

interface FieldProps {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onAccept: (text: string) => void;
  readonly isInvalid: boolean;
  readonly describedBy: string;
}

function Field({ text, onText, onAccept, isInvalid, describedBy }: FieldProps): ReactNode {
  const input = useRef<HTMLInputElement>(null);
  const list = useId();
  const { completions, active, open, close, choose, onKeyDown } = useCompletionList(input, text, { onText, onAccept });
  useSlash(() => input.current?.focus());
  return (
    <div className={styles['field']}>
      <input
        ref={input}
        type="search"
        role="combobox"
        aria-label="Search requests"
        aria-describedby={describedBy}
        aria-invalid={isInvalid}
        aria-expanded={completions.length > 0}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={active < 0 ? undefined : `${list}-${active}`}
        placeholder='model:gpt-4o status:>=400 Team:search -user:ann "exact words"'
        value={text}
        onChange={({ target }) => {
          onText(target.value);
          open(target.selectionStart);
        }}
        onKeyDown={onKeyDown}
        onBlur={close}
        spellCheck={false}
        autoComplete="off"
        className={styles['input']}
      />
      <div id={list} role="listbox" aria-label="Completions" hidden={completions.length === 0} className={styles['list']}>
        {completions.map((completion, index) => (
          <div
            key={completion.text}
            id={`${list}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            className={styles['option']}
            // The field keeps the focus.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => choose(completion)}
          >
            <b className="clip" dir="auto">
              {completion.title}
            </b>
            <span className="clip muted">{completion.about}</span>
          </div>
        ))}
      </div>
    </div>
  );
}

interface MeaningProps {
  readonly id: string;
  readonly read: ReadSearch;
  readonly text: string;
  readonly onAccept: (text: string) => void;
}

function Meaning({ id, read, text, onAccept }: MeaningProps): ReactNode {
  const written = read.hints ?? [];
  const hasProperty = read.filter !== undefined && conditionsIn(read.filter).some(({ field }) => field === 'properties');
  const { data: names, isError } = useQuery({ ...propertyNamesQuery, enabled: written.length > 0 || hasProperty });
  const hints = doubted(written, isError ? [] : names);
  const cases = read.filter === undefined ? [] : otherCases(read.filter, names ?? []);
  return (
    <p id={id} className={read.fault === undefined ? styles['meaning'] : styles['fault']} aria-live="polite">
      {read.fault === undefined ? (
        <>
          {describeFilter(read.filter)}
          {hints.length + cases.length > 0 && '.'}
          {hints.map(({ name, meant, corrected }) => (
            <span key={name}>
              {' '}
              "{name}" is read as a property. <InlineButton onPress={() => onAccept(corrected)}>Did you mean {meant}?</InlineButton>
            </span>
          ))}
          {cases.map(({ name, stored, corrected }) => (
            <span key={name}>
              {' '}
              Requests write "{name}" in another case.{' '}
              <InlineButton onPress={() => onAccept(corrected)}>
                Use <bdi>{stored}</bdi>
              </InlineButton>
            </span>
          ))}
        </>
      ) : (
        <>
          {read.fault.message} <Excerpt text={text} from={read.fault.from} to={read.fault.to} />
        </>
      )}
    </p>
  );
}

function Excerpt({ text, from, to }: { readonly text: string; readonly from: number; readonly to: number }): ReactNode {
  return (
    <code>
      {text.slice(Math.max(0, from - 20), from)}
      <mark>{text.slice(from, to) || ' '}</mark>
      {text.slice(to, to + 20)}
    </code>
  );
}

/** `/` anywhere outside of a field goes to the search. */
function useSlash(focus: () => void): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isField(event.target)) return;
      event.preventDefault();
      focus();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  });
}

function isField(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}
