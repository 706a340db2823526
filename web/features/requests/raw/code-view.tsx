import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from '../../../ui/button.tsx';
import { Loading } from '../../../ui/loading.tsx';
import { PageError } from '../../../ui/page-error.tsx';
import type { OpenedEditor } from './editor.ts';
import { loadEditor } from './load-editor.ts';
import styles from './raw.module.css';

export interface CodeViewProps {
  readonly label: string;
  readonly lines: readonly string[];
  /** None is to follow at their end. */
  readonly isWhole: boolean;
  readonly isJson: boolean;
  /** Once it shows the lines. */
  readonly onOpen: () => void;
}

/** A text of any length, to read and search. */
export function CodeView({ label, lines, isWhole, isJson, onOpen }: CodeViewProps): ReactNode {
  const host = useRef<HTMLDivElement>(null);
  const [editor, setEditor] = useState<OpenedEditor>();
  const [error, setError] = useState<unknown>(null);
  const newest = useRef(lines);
  const opens = useRef(onOpen);
  useEffect(() => {
    opens.current = onOpen;
  }, [onOpen]);
  useEffect(() => {
    newest.current = lines;
    editor?.showLines(lines);
  }, [lines, editor]);
  useEffect(() => {
    let isGone = false;
    let opened: OpenedEditor | undefined;
    const open = async (element: HTMLElement): Promise<void> => {
      const { openEditor } = await loadEditor();
      if (isGone) return;
      const root = element.shadowRoot ?? element.attachShadow({ mode: 'open' });
      opened = openEditor({ lines: newest.current, isJson, label, root });
      setEditor(opened);
      opens.current();
    };
    if (host.current !== null) open(host.current).catch(setError);
    return () => {
      isGone = true;
      opened?.close();
    };
  }, [isJson, label]);
  if (error !== null) return <PageError error={error} />;
  const isUsable = editor !== undefined && isWhole;
  return (
    <div className={styles['view']}>
      <div className={styles['tools']}>
        <Button kind="quiet" isDisabled={!isUsable} onPress={() => editor?.search()}>
          Search
        </Button>
        {isJson && (
          <>
            <Button kind="quiet" isDisabled={!isUsable} onPress={() => editor?.foldMembers()}>
              Fold
            </Button>
            <Button kind="quiet" isDisabled={!isUsable} onPress={() => editor?.unfoldEverything()}>
              Unfold
            </Button>
          </>
        )}
      </div>
      {editor === undefined && <Loading what="Opening" />}
      <div ref={host} className={styles['host']} />
    </div>
  );
}
