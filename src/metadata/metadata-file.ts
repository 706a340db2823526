import { existsSync } from 'node:fs';
import path from 'node:path';

export const metadataFileName = 'metadata.db';

export function hasMetadata(dataDir: string): boolean {
  return existsSync(path.join(dataDir, metadataFileName));
}
