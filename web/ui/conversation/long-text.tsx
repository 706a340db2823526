import { type ReactNode, useState } from 'react';
import { formatCount } from '../../lib/format.ts';
import { Button } from '../button.tsx';
import styles from './conversation.module.css';
import { shownText } from './read/json.ts';
import { blocksOf, cutText } from './text-blocks.ts';

export interface LongTextProps {
  readonly text: string;
  readonly isCode?: boolean;
}

/** A text with its white space. A long one is cut until somebody asks for all of it. */
export function LongText({ text, isCode = false }: LongTextProps): ReactNode {
  const [isWhole, setIsWhole] = useState(false);
  const cut = cutText(text);
  const isLong = cut.length < text.length;
  return (
    <div className={styles['long']}>
      <div className={isCode ? styles['code'] : styles['text']} dir={isCode ? 'ltr' : 'auto'}>
        {isWhole ? blocksOf(text).map((block, index) => <Block key={index} text={block} />) : cut}
        {isLong && !isWhole && '…'}
      </div>
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
export function JsonText({ value }: { readonly value: unknown }): ReactNode {
  return <LongText text={shownText(value, 2)} isCode />;
}
