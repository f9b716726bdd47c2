// What the verifiers and parsers refuse.
// RUN: shardwright-opt %s --split-input-file --verify-diagnostics

func.func @optimization_barrier(%a: tensor<4xf32>) {
  // expected-error @+1 {{expected ':'}}
  %9 = stablehlo.optimization_barrier %a {foo} : tensor<4xf32>
  return
}

// -----

func.func @optimization_barrier() {
  // expected-error @+1 {{expected operation name in quotes}}
  stablehlo.optimization_barrier() {foo}
  return
}

// -----

func.func @case(%s: tensor<f32>) {
  // expected-error @+1 {{cannot name an operation with no results}}
  %0 = "stablehlo.case"(%s) ({stablehlo.return}) : (tensor<f32>) -> ()
  return
}

// -----

func.func @if(%s: tensor<f32>) {
  // expected-error @+1 {{cannot name an operation with no results}}
  %0 = "stablehlo.if"(%s) ({stablehlo.return},{stablehlo.return}) : (tensor<f32>) -> ()
  return
}

// -----

func.func @create_token() {
  // expected-error @+1 {{'stablehlo.create_token' op result #0 must be token, but got 'tensor<i1>'}}
  %0 = "stablehlo.create_token"() : () -> tensor<i1>
  return
}

// -----

func.func @tuple(%x: tensor<4xindex>) {
  // expected-error @+1 {{'stablehlo.tuple' op operand #0 must be variadic of ranked tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type wi}}
  %0 = "stablehlo.tuple"(%x) : (tensor<4xindex>) -> tuple<tensor<4xindex>>
  return
}

// -----

func.func @after_all(%x: tensor<4xindex>) {
  // expected-error @+1 {{'stablehlo.after_all' op operand #0 must be variadic of token, but got 'tensor<4xindex>'}}
  %0 = "stablehlo.after_all"(%x) : (tensor<4xindex>) -> !stablehlo.token
  return
}

// -----

func.func @while(%x: tensor<4xindex>) {
  // expected-error @+1 {{'stablehlo.while' op operand #0 must be variadic of ranked tensor of 4/6/8/16/32/64-bit float or bool or 2/4/8/16/32/64-bit integer or complex type wi}}
  %0 = "stablehlo.while"(%x) ({^bb0(%z: tensor<4xindex>): stablehlo.return %z : tensor<4xindex>}, {^bb0(%z: tensor<4xindex>): stablehlo.return %z : tensor<4xindex>}) : (tensor<4xindex>) -> tensor<4xindex>
  return
}

// -----

func.func @optimization_barrier(%a: tensor<4xf32>) {
  // expected-error @+1 {{'stablehlo.optimization_barrier' op requires the same type for operand and result at index 0}}
  %0 = "stablehlo.optimization_barrier"(%a) : (tensor<4xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @if(%a: tensor<4xf32>, %b: tensor<5xf32>, %sp: tensor<i1>) {
  // expected-error @+2 {{branch 0 and branch 1 have mismatched return types: 'tensor<4xf32>' vs 'tensor<5xf32>'}}
  // expected-error @+1 {{'stablehlo.if' op failed to infer returned types}}
  %0 = "stablehlo.if"(%sp) ({ stablehlo.return %a : tensor<4xf32> }, { stablehlo.return %b : tensor<5xf32> }) : (tensor<i1>) -> tensor<4xf32>
  return
}

// -----

func.func @if(%a: tensor<4xf32>, %sp: tensor<i1>) {
  // expected-error @+2 {{branch 0 and branch 1 have mismatched return types: 'tensor<4xf32>' vs}}
  // expected-error @+1 {{'stablehlo.if' op failed to infer returned types}}
  %0 = "stablehlo.if"(%sp) ({ stablehlo.return %a : tensor<4xf32> }, { stablehlo.return }) : (tensor<i1>) -> tensor<4xf32>
  return
}

// -----

func.func @if(%a: tensor<4xf32>, %sp: tensor<i1>) {
  // expected-error @+2 {{'stablehlo.if' op inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<5xf32>'}}
  // expected-error @+1 {{'stablehlo.if' op failed to infer returned types}}
  %0 = "stablehlo.if"(%sp) ({ stablehlo.return %a : tensor<4xf32> }, { stablehlo.return %a : tensor<4xf32> }) : (tensor<i1>) -> tensor<5xf32>
  return
}

// -----

func.func @if(%a: tensor<4xf32>, %p: tensor<4xi1>) {
  // expected-error @+2 {{operand should be rank 0 tensor but got rank 1}}
  // expected-error @+1 {{'stablehlo.if' op failed to infer returned types}}
  %0 = "stablehlo.if"(%p) ({ stablehlo.return %a : tensor<4xf32> }, { stablehlo.return %a : tensor<4xf32> }) : (tensor<4xi1>) -> tensor<4xf32>
  return
}

// -----

func.func @if(%a: tensor<4xf32>, %sp: tensor<i1>) {
  // expected-error @+2 {{branch 0 must have 0 arguments, but found 1}}
  // expected-error @+1 {{'stablehlo.if' op failed to infer returned types}}
  %0 = "stablehlo.if"(%sp) ({ ^bb0(%z: tensor<f32>): stablehlo.return %a : tensor<4xf32> }, { stablehlo.return %a : tensor<4xf32> }) : (tensor<i1>) -> tensor<4xf32>
  return
}

// -----

func.func @case(%si: tensor<i32>) {
  // expected-error @+2 {{expect at least one branch}}
  // expected-error @+1 {{'stablehlo.case' op failed to infer returned types}}
  "stablehlo.case"(%si) : (tensor<i32>) -> ()
  return
}

// -----

func.func @case(%a: tensor<4xf32>, %b: tensor<5xf32>, %si: tensor<i32>) {
  // expected-error @+2 {{branch 0 and branch 1 have mismatched return types: 'tensor<4xf32>' vs 'tensor<5xf32>'}}
  // expected-error @+1 {{'stablehlo.case' op failed to infer returned types}}
  %0 = "stablehlo.case"(%si) ({ stablehlo.return %a : tensor<4xf32> }, { stablehlo.return %b : tensor<5xf32> }) : (tensor<i32>) -> tensor<4xf32>
  return
}

// -----

func.func @case(%a: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @+2 {{operand should be rank 0 tensor but got rank 1}}
  // expected-error @+1 {{'stablehlo.case' op failed to infer returned types}}
  %0 = "stablehlo.case"(%i) ({ stablehlo.return %a : tensor<4xf32> }) : (tensor<4xi32>) -> tensor<4xf32>
  return
}

// -----

func.func @while(%a: tensor<4xf32>, %p: tensor<4xi1>) {
  // expected-error @+1 {{expect condition block return a zero-ranked tensor of i1 but got 'tensor<4xi1>'}}
  %0 = stablehlo.while(%z = %a) : tensor<4xf32> cond { stablehlo.return %p : tensor<4xi1> } do { stablehlo.return %z : tensor<4xf32> }
  return
}

// -----

func.func @while(%a: tensor<4xf32>) {
  // expected-error @+1 {{expect condition block return a zero-ranked tensor of i1 but got 'tensor<4xf32>'}}
  %0 = stablehlo.while(%z = %a) : tensor<4xf32> cond { stablehlo.return %a : tensor<4xf32> } do { stablehlo.return %z : tensor<4xf32> }
  return
}

// -----

func.func @while(%a: tensor<4xf32>, %sp: tensor<i1>) {
  // expected-error @+1 {{expect condition body returns a single value but got 2}}
  %0 = stablehlo.while(%z = %a) : tensor<4xf32> cond { stablehlo.return %sp, %sp : tensor<i1>, tensor<i1> } do { stablehlo.return %z : tensor<4xf32> }
  return
}

// -----

func.func @while(%a: tensor<4xf32>, %b: tensor<5xf32>, %sp: tensor<i1>) {
  // expected-error @+1 {{expect operands to be compatible with body block return types but got 'tensor<4xf32>' vs 'tensor<5xf32>'}}
  %0 = stablehlo.while(%z = %a) : tensor<4xf32> cond { stablehlo.return %sp : tensor<i1> } do { stablehlo.return %b : tensor<5xf32> }
  return
}

// -----

func.func @while(%a: tensor<4xf32>, %sp: tensor<i1>) {
  // expected-error @+1 {{expect operands to be compatible with body block return types but got 'tensor<4xf32>' vs}}
  %0 = stablehlo.while(%z = %a) : tensor<4xf32> cond { stablehlo.return %sp : tensor<i1> } do { stablehlo.return }
  return
}

// -----

func.func @while(%a: tensor<4xf32>, %sp: tensor<i1>) {
  // expected-error @+1 {{expect operands to be compatible with condition block arguments but got 'tensor<4xf32>' vs}}
  %0 = "stablehlo.while"(%a) ({ stablehlo.return %sp : tensor<i1> }, { ^bb0(%z: tensor<4xf32>): stablehlo.return %z : tensor<4xf32> }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @while(%a: tensor<4xf32>, %sp: tensor<i1>) {
  // expected-error @+1 {{expect operands to be compatible with body block arguments but got 'tensor<4xf32>' vs 'tensor<5xf32>'}}
  %0 = "stablehlo.while"(%a) ({ ^bb0(%z: tensor<4xf32>): stablehlo.return %sp : tensor<i1> }, { ^bb0(%z: tensor<5xf32>): stablehlo.return %z : tensor<5xf32> }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @while(%a: tensor<4xf32>, %sp: tensor<i1>) {
  // expected-error @+2 {{'stablehlo.while' op inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<5xf32>'}}
  // expected-error @+1 {{'stablehlo.while' op failed to infer returned types}}
  %0 = "stablehlo.while"(%a) ({ ^bb0(%z: tensor<4xf32>): stablehlo.return %sp : tensor<i1> }, { ^bb0(%z: tensor<4xf32>): stablehlo.return %z : tensor<4xf32> }) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @return_vector(%p: tensor<i1>, %v: vector<2xf32>) {
  "stablehlo.if"(%p) ({
    // expected-error @+1 {{'stablehlo.return' op operand #0 must be variadic of ranked tensor}}
    "stablehlo.return"(%v) : (vector<2xf32>) -> ()
  }, {
    "stablehlo.return"(%v) : (vector<2xf32>) -> ()
  }) : (tensor<i1>) -> ()
  return
}

// -----

func.func @return_with_result(%p: tensor<i1>, %v: tensor<2xf32>) {
  "stablehlo.if"(%p) ({
    // expected-error @+1 {{'stablehlo.return' op requires zero results}}
    %0 = "stablehlo.return"(%v) : (tensor<2xf32>) -> tensor<2xf32>
  }, {
    "stablehlo.return"(%v) : (tensor<2xf32>) -> ()
  }) : (tensor<i1>) -> tensor<2xf32>
  return
}

// -----

func.func @return_in_the_middle(%p: tensor<i1>, %v: tensor<2xf32>) {
  "stablehlo.if"(%p) ({
    // expected-error @+1 {{'stablehlo.return' op must be the last operation in the parent block}}
    "stablehlo.return"(%v) : (tensor<2xf32>) -> ()
    "stablehlo.return"(%v) : (tensor<2xf32>) -> ()
  }, {
    "stablehlo.return"(%v) : (tensor<2xf32>) -> ()
  }) : (tensor<i1>) -> tensor<2xf32>
  return
}

// -----

func.func @return_with_region(%p: tensor<i1>, %v: tensor<2xf32>) {
  "stablehlo.if"(%p) ({
    // expected-error @+1 {{'stablehlo.return' op requires zero regions}}
    "stablehlo.return"(%v) ({}) : (tensor<2xf32>) -> ()
  }, {
    "stablehlo.return"(%v) : (tensor<2xf32>) -> ()
  }) : (tensor<i1>) -> tensor<2xf32>
  return
}
