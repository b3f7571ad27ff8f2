/** The indexes of the highest scores above zero, highest first, without sorting the rest. Ties are in index order. */
export function bestOf(scores: Float32Array, limit: number): number[] {
  const byScore = (a: number, b: number): number => scores[b]! - scores[a]! || a - b;
  const best: number[] = [];
  let threshold = 0;
  for (let index = 0; index < scores.length; index++) {
    if (scores[index]! <= threshold) continue;
    best.push(index);
    if (best.length < 4 * limit) continue;
    best.sort(byScore).length = limit;
    threshold = scores[best[limit - 1]!]!;
  }
  return best.sort(byScore).slice(0, limit);
}
