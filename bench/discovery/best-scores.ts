/** The places of the highest scores above zero, highest first, equal ones in their own order; without sorting the rest. */
export function bestOf(scores: Float32Array, limit: number): number[] {
  const byScore = (a: number, b: number): number => scores[b]! - scores[a]! || a - b;
  const found: number[] = [];
  let threshold = 0;
  for (let place = 0; place < scores.length; place++) {
    if (scores[place]! <= threshold) continue;
    found.push(place);
    if (found.length < 4 * limit) continue;
    found.sort(byScore).length = limit;
    threshold = scores[found[limit - 1]!]!;
  }
  return found.sort(byScore).slice(0, limit);
}
