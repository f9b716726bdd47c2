// RUN: shardwright-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{'vhlo.slice_v1' op requires attribute 'limit_indices'}}
"vhlo.slice_v1"() : () -> ()

// -----

// expected-error @+1 {{unregistered operation 'vhlo.slice_v2' found in dialect ('vhlo') that does not allow unknown operations}}
"vhlo.slice_v2"() : () -> ()

// -----

// expected-error @+1 {{unknown attribute `nothing_v1` in dialect `vhlo`}}
"vhlo.return_v1"() {a = #vhlo.nothing_v1} : () -> ()

// -----

// expected-error @+1 {{unknown value of precision_v1: LOW}}
"vhlo.return_v1"() {a = #vhlo<precision_v1 LOW>} : () -> ()

// -----

// expected-error @+1 {{unknown type `f128_v1` in dialect `vhlo`}}
"vhlo.return_v1"() {a = !vhlo.f128_v1} : () -> ()

// -----

// expected-error @+1 {{expected an integer type of vhlo}}
"vhlo.return_v1"() {a = #vhlo.integer_v1<1 : f32>} : () -> ()
