;; Computes the dot product of each row of an int8 matrix with one int8 query. Rows and query are read in 16-byte lanes.
(module
  (memory (export "memory") 1)
  ;; rows: address of the matrix; count: its rows; width: bytes per row, a multiple of 16;
  ;; query: address of the query; out: address of count 32-bit sums.
  (func (export "dot") (param $rows i32) (param $count i32) (param $width i32) (param $query i32) (param $out i32)
    (local $row i32) (local $at i32) (local $sum v128) (local $a v128) (local $b v128)
    (block $done
      (loop $next_row
        (br_if $done (i32.ge_u (local.get $row) (local.get $count)))
        (local.set $sum (v128.const i32x4 0 0 0 0))
        (local.set $at (i32.const 0))
        (loop $next_lane
          (local.set $a (v128.load (i32.add (local.get $rows) (local.get $at))))
          (local.set $b (v128.load (i32.add (local.get $query) (local.get $at))))
          (local.set $sum (i32x4.add (local.get $sum)
            (i32x4.dot_i16x8_s (i16x8.extend_low_i8x16_s (local.get $a)) (i16x8.extend_low_i8x16_s (local.get $b)))))
          (local.set $sum (i32x4.add (local.get $sum)
            (i32x4.dot_i16x8_s (i16x8.extend_high_i8x16_s (local.get $a)) (i16x8.extend_high_i8x16_s (local.get $b)))))
          (local.set $at (i32.add (local.get $at) (i32.const 16)))
          (br_if $next_lane (i32.lt_u (local.get $at) (local.get $width))))
        (i32.store (local.get $out)
          (i32.add
            (i32.add (i32x4.extract_lane 0 (local.get $sum)) (i32x4.extract_lane 1 (local.get $sum)))
            (i32.add (i32x4.extract_lane 2 (local.get $sum)) (i32x4.extract_lane 3 (local.get $sum)))))
        (local.set $rows (i32.add (local.get $rows) (local.get $width)))
        (local.set $out (i32.add (local.get $out) (i32.const 4)))
        (local.set $row (i32.add (local.get $row) (i32.const 1)))
        (br $next_row)))))
