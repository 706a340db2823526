import { type ReactNode, Suspense, useState } from 'react';
import { lazyPart } from '../../lib/lazy-part.tsx';
import { formatCount } from '../../lib/format.ts';
import { Button } from '../button.tsx';
import styles from './conversation.module.css';
import { shownText } from './read/json.ts';
import { blocksOf, cutText } from './text-blocks.ts';

/** Its reader of markdown is loaded when a text is first shown as such. */
const Markdown = lazyPart(async () => (await import('../markdown/markdown.tsx')).Markdown);

export interface LongTextProps {
  readonly text: string;
  readonly isCode?: boolean;
  /** Whether it is shown as markdown. */
  readonly isMarkdown?: boolean;
  /** Characters that are shown of a longer one. */
  readonly shownLength?: number | undefined;
}

/** A text with its white space. A long one is cut until somebody asks for all of it. */
export function LongText({ text, isCode = false, isMarkdown = false, shownLength }: LongTextProps): ReactNode {
  const [isWhole, setIsWhole] = useState(false);
  const cut = cutText(text, shownLength);
  const isLong = cut.length < text.length;
  const plain = (
    <div className={isCode ? styles['code'] : styles['text']} dir={isCode ? 'ltr' : 'auto'}>
      {isWhole ? blocksOf(text).map((block, index) => <Block key={index} text={block} />) : cut}
      {isLong && !isWhole && '…'}
    </div>
  );
  return (
    <div className={styles['long']}>
      {isMarkdown ? (
        <Suspense fallback={plain}>
          <Markdown text={isWhole || !isLong ? text : `${cut}…`} fallback={plain} />
        </Suspense>
      ) : (
        plain
      )}
      {isLong && (
        <Button kind="quiet" onPress={() => setIsWhole(!isWhole)}>
          {isWhole ? 'Show less' : `Show all ${formatCount(text.length)} characters`}
        </Button>
      )}
    </div>
  );
}

/** Only the blocks in view are laid out. */
function Block({ text }: { readonly text: string }): ReactNode {
  return <div className={styles['block']}>{text}</div>;
}

/** A value as JSON. */
export function JsonText({ value, shownLength }: { readonly value: unknown; readonly shownLength?: number | undefined }): ReactNode {
  return <LongText text={shownText(value, 2)} isCode shownLength={shownLength} />;
}
