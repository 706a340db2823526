/** Media types ignore case (RFC 9110 §8.3.1). @param contentType value of a `Content-Type`. */
export function isEventStream(contentType: string | undefined): boolean {
  return contentType !== undefined && /event-stream/i.test(contentType);
}

/** True for a stream of Amazon's binary messages. @param contentType value of a `Content-Type`. */
export function isAmazonEventStream(contentType: string | undefined): boolean {
  return contentType !== undefined && /^\s*application\/vnd\.amazon\.eventstream\b/i.test(contentType);
}
