/* sources 5bad18490bdf832b9042f0d45d2cea2c */
/*!
# Libraries in this folder

Made by `python tools/vendor.py`, from the packages of these names.

## d3-array 3.2.5 (ISC)

```text
Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## d3-color 3.1.1 (ISC)

```text
Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## d3-format 3.1.3 (ISC)

```text
Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## d3-interpolate 3.0.2 (ISC)

```text
Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## d3-path 3.1.1 (ISC)

```text
Copyright 2015-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## d3-scale 4.0.3 (ISC)

```text
Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## d3-shape 3.2.1 (ISC)

```text
Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## d3-time 3.1.1 (ISC)

```text
Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## d3-time-format 4.1.1 (ISC)

```text
Copyright 2010-2026 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## htm 3.1.1 (Apache-2.0)

```text
Apache License
                           Version 2.0, January 2004
                        http://www.apache.org/licenses/

   TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION

   1. Definitions.

      "License" shall mean the terms and conditions for use, reproduction,
      and distribution as defined by Sections 1 through 9 of this document.

      "Licensor" shall mean the copyright owner or entity authorized by
      the copyright owner that is granting the License.

      "Legal Entity" shall mean the union of the acting entity and all
      other entities that control, are controlled by, or are under common
      control with that entity. For the purposes of this definition,
      "control" means (i) the power, direct or indirect, to cause the
      direction or management of such entity, whether by contract or
      otherwise, or (ii) ownership of fifty percent (50%) or more of the
      outstanding shares, or (iii) beneficial ownership of such entity.

      "You" (or "Your") shall mean an individual or Legal Entity
      exercising permissions granted by this License.

      "Source" form shall mean the preferred form for making modifications,
      including but not limited to software source code, documentation
      source, and configuration files.

      "Object" form shall mean any form resulting from mechanical
      transformation or translation of a Source form, including but
      not limited to compiled object code, generated documentation,
      and conversions to other media types.

      "Work" shall mean the work of authorship, whether in Source or
      Object form, made available under the License, as indicated by a
      copyright notice that is included in or attached to the work
      (an example is provided in the Appendix below).

      "Derivative Works" shall mean any work, whether in Source or Object
      form, that is based on (or derived from) the Work and for which the
      editorial revisions, annotations, elaborations, or other modifications
      represent, as a whole, an original work of authorship. For the purposes
      of this License, Derivative Works shall not include works that remain
      separable from, or merely link (or bind by name) to the interfaces of,
      the Work and Derivative Works thereof.

      "Contribution" shall mean any work of authorship, including
      the original version of the Work and any modifications or additions
      to that Work or Derivative Works thereof, that is intentionally
      submitted to Licensor for inclusion in the Work by the copyright owner
      or by an individual or Legal Entity authorized to submit on behalf of
      the copyright owner. For the purposes of this definition, "submitted"
      means any form of electronic, verbal, or written communication sent
      to the Licensor or its representatives, including but not limited to
      communication on electronic mailing lists, source code control systems,
      and issue tracking systems that are managed by, or on behalf of, the
      Licensor for the purpose of discussing and improving the Work, but
      excluding communication that is conspicuously marked or otherwise
      designated in writing by the copyright owner as "Not a Contribution."

      "Contributor" shall mean Licensor and any individual or Legal Entity
      on behalf of whom a Contribution has been received by Licensor and
      subsequently incorporated within the Work.

   2. Grant of Copyright License. Subject to the terms and conditions of
      this License, each Contributor hereby grants to You a perpetual,
      worldwide, non-exclusive, no-charge, royalty-free, irrevocable
      copyright license to reproduce, prepare Derivative Works of,
      publicly display, publicly perform, sublicense, and distribute the
      Work and such Derivative Works in Source or Object form.

   3. Grant of Patent License. Subject to the terms and conditions of
      this License, each Contributor hereby grants to You a perpetual,
      worldwide, non-exclusive, no-charge, royalty-free, irrevocable
      (except as stated in this section) patent license to make, have made,
      use, offer to sell, sell, import, and otherwise transfer the Work,
      where such license applies only to those patent claims licensable
      by such Contributor that are necessarily infringed by their
      Contribution(s) alone or by combination of their Contribution(s)
      with the Work to which such Contribution(s) was submitted. If You
      institute patent litigation against any entity (including a
      cross-claim or counterclaim in a lawsuit) alleging that the Work
      or a Contribution incorporated within the Work constitutes direct
      or contributory patent infringement, then any patent licenses
      granted to You under this License for that Work shall terminate
      as of the date such litigation is filed.

   4. Redistribution. You may reproduce and distribute copies of the
      Work or Derivative Works thereof in any medium, with or without
      modifications, and in Source or Object form, provided that You
      meet the following conditions:

      (a) You must give any other recipients of the Work or
          Derivative Works a copy of this License; and

      (b) You must cause any modified files to carry prominent notices
          stating that You changed the files; and

      (c) You must retain, in the Source form of any Derivative Works
          that You distribute, all copyright, patent, trademark, and
          attribution notices from the Source form of the Work,
          excluding those notices that do not pertain to any part of
          the Derivative Works; and

      (d) If the Work includes a "NOTICE" text file as part of its
          distribution, then any Derivative Works that You distribute must
          include a readable copy of the attribution notices contained
          within such NOTICE file, excluding those notices that do not
          pertain to any part of the Derivative Works, in at least one
          of the following places: within a NOTICE text file distributed
          as part of the Derivative Works; within the Source form or
          documentation, if provided along with the Derivative Works; or,
          within a display generated by the Derivative Works, if and
          wherever such third-party notices normally appear. The contents
          of the NOTICE file are for informational purposes only and
          do not modify the License. You may add Your own attribution
          notices within Derivative Works that You distribute, alongside
          or as an addendum to the NOTICE text from the Work, provided
          that such additional attribution notices cannot be construed
          as modifying the License.

      You may add Your own copyright statement to Your modifications and
      may provide additional or different license terms and conditions
      for use, reproduction, or distribution of Your modifications, or
      for any such Derivative Works as a whole, provided Your use,
      reproduction, and distribution of the Work otherwise complies with
      the conditions stated in this License.

   5. Submission of Contributions. Unless You explicitly state otherwise,
      any Contribution intentionally submitted for inclusion in the Work
      by You to the Licensor shall be under the terms and conditions of
      this License, without any additional terms or conditions.
      Notwithstanding the above, nothing herein shall supersede or modify
      the terms of any separate license agreement you may have executed
      with Licensor regarding such Contributions.

   6. Trademarks. This License does not grant permission to use the trade
      names, trademarks, service marks, or product names of the Licensor,
      except as required for reasonable and customary use in describing the
      origin of the Work and reproducing the content of the NOTICE file.

   7. Disclaimer of Warranty. Unless required by applicable law or
      agreed to in writing, Licensor provides the Work (and each
      Contributor provides its Contributions) on an "AS IS" BASIS,
      WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or
      implied, including, without limitation, any warranties or conditions
      of TITLE, NON-INFRINGEMENT, MERCHANTABILITY, or FITNESS FOR A
      PARTICULAR PURPOSE. You are solely responsible for determining the
      appropriateness of using or redistributing the Work and assume any
      risks associated with Your exercise of permissions under this License.

   8. Limitation of Liability. In no event and under no legal theory,
      whether in tort (including negligence), contract, or otherwise,
      unless required by applicable law (such as deliberate and grossly
      negligent acts) or agreed to in writing, shall any Contributor be
      liable to You for damages, including any direct, indirect, special,
      incidental, or consequential damages of any character arising as a
      result of this License or out of the use or inability to use the
      Work (including but not limited to damages for loss of goodwill,
      work stoppage, computer failure or malfunction, or any and all
      other commercial damages or losses), even if such Contributor
      has been advised of the possibility of such damages.

   9. Accepting Warranty or Additional Liability. While redistributing
      the Work or Derivative Works thereof, You may choose to offer,
      and charge a fee for, acceptance of support, warranty, indemnity,
      or other liability obligations and/or rights consistent with this
      License. However, in accepting such obligations, You may act only
      on Your own behalf and on Your sole responsibility, not on behalf
      of any other Contributor, and only if You agree to indemnify,
      defend, and hold each Contributor harmless for any liability
      incurred by, or claims asserted against, such Contributor by reason
      of your accepting any such warranty or additional liability.

   END OF TERMS AND CONDITIONS

   APPENDIX: How to apply the Apache License to your work.

      To apply the Apache License to your work, attach the following
      boilerplate notice, with the fields enclosed by brackets "[]"
      replaced with your own identifying information. (Don't include
      the brackets!)  The text should be enclosed in the appropriate
      comment syntax for the file format. We also recommend that a
      file or class name and description of purpose be included on the
      same "printed page" as the copyright notice for easier
      identification within third-party archives.

   Copyright 2018 Google Inc.

   Licensed under the Apache License, Version 2.0 (the "License");
   you may not use this file except in compliance with the License.
   You may obtain a copy of the License at

       http://www.apache.org/licenses/LICENSE-2.0

   Unless required by applicable law or agreed to in writing, software
   distributed under the License is distributed on an "AS IS" BASIS,
   WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
   See the License for the specific language governing permissions and
   limitations under the License.
```

## internmap 2.0.3 (ISC)

```text
Copyright 2021 Mike Bostock

Permission to use, copy, modify, and/or distribute this software for any purpose
with or without fee is hereby granted, provided that the above copyright notice
and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH
REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND
FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT,
INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS
OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER
TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF
THIS SOFTWARE.
```

## preact 11.2.0 (MIT)

```text
The MIT License (MIT)

Copyright (c) 2015-present Jason Miller

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
```
*/
var U,Rr,Fl,Tt,Vn,Ye,Dr,Xe,qr,Qn,Xn,Il,ve=Symbol.for("pv"),Qe={},Ze=[],Wl=/^m(i|n|o|s|text|space)$/,Zn=Array.isArray,ts=Ze.slice,Wt=Object.assign;function It(t){t&&t.parentNode&&t.remove()}function Bl(t,e,n){var s,r,o,a={},i=arguments.length;for(o in e)o=="key"?s=e[o]:o=="ref"&&typeof t!="function"?r=e[o]:a[o]=e[o];return i>2&&(a.children=i>3?ts.call(arguments,2):n),xe(t,a,s,r,null)}function xe(t,e,n,s,r){var o={type:t,props:e,key:n,ref:s,__k:null,__:null,__b:0,__e:null,__c:null,constructor:ve,__v:r||++Rr,__i:-1,__u:0};return!r&&U.vnode&&U.vnode(o),o}function tn(t){return t.children}function Ge(t,e){this.props=t,this.context=e,this.__g=0}function Et(t,e){if(e==null)return t.__&&Et(t.__,t.__i+1);for(var n;e<t.__k.length;e++)if((n=t.__k[e])&&n.__e)return n.__e;return typeof t.type!="function"||t.props.__P?null:Et(t)}function Hl(t){var e,n=t.__v,s=n.__e,r=[],o=[],a=t.__P;a&&((e=Wt({constructor:ve},n)).__v=n.__v+1,U.vnode&&U.vnode(e),es(a,e,n,t.__n,a.namespaceURI,32&n.__u?[s]:null,r,s||Et(n),32&n.__u,o),e.__v=n.__v,e.__.__k[e.__i]=e,Hr(r,e,o),n.__=n.__e=null,e.__e!=s&&jr(e))}function jr(t){if((t=t.__)&&t.__c&&!t.props.__P)return t.__e=null,t.__k.some(function(e){return e&&(t.__e=e.__e)}),jr(t)}function kr(t){(8&t.__g||(t.__g|=8,Tt.push(t),Ye++))&&Vn==U.debounceRendering||((Vn=U.debounceRendering)||queueMicrotask)(Fr)}function Fr(){try{for(var t,e=1;Tt.length;)Tt.length>e&&Tt.sort(Dr),t=Tt.shift(),e=Tt.length,8&t.__g&&Hl(t)}finally{(Ye=Tt.length)&&(Vn||queueMicrotask)(Fr)}}function Ir(t,e,n,s,r,o,a,i,l,c,u){var p,h,m,f,$,g,x=s.__k||Ze,b=e.length;for(l=Ul(n,e,x,l,b),p=0;p<b;p++)(m=n.__k[p])!=null&&(h=~m.__i&&x[m.__i]||Qe,m.__i=p,g=es(t,m,h,r,o,a,i,l,c,u),f=m.__e,(h.ref!=m.ref||8&h.__u)&&(h.ref&&ns(h.ref,null,m,h),m.ref&&u.push(m.ref,m.__c||f,m)),$=$||f,4&m.__u?(l=Wr(m,l,t,!h.__v),h.__e&&(h.__e=null)):typeof m.type=="function"&&g!==void 0?l=g:f&&(l=f.nextSibling),m.__u&=-21);return n.__e=$,l}function Ul(t,e,n,s,r){var o,a,i,l,c,u,p,h,m,f=n.length,$=f,g=0,x=0,b=t.__k=Array(r);for(o=0;o<r;o++)(a=e[o])!=null&&typeof a!="boolean"&&typeof a!="function"?(typeof a!="object"||a.constructor===String?a=b[o]=xe(null,a):Zn(a)?a=b[o]=xe(tn,{children:a}):a.constructor===ve&&a.__b?a=b[o]=xe(a.type,a.props,a.key,a.ref,a.__v):b[o]=a,l=o+g,a.__=t,a.__b=t.__b+1,i=null,~(c=a.__i=Kl(a,n,l,$))&&($--,(i=n[c])&&(i.__u|=2)),i&&i.__v?(a.__u|=16,c==l-1?g--:c==l+1?g++:c!=l&&(c>l?g--:g++,x=1)):(~c||(r>f?g--:r<f&&g++),typeof a.type!="function"&&(a.__u|=4))):b[o]=null;if(x){for(u=[],p=[],o=0;o<r;o++)if((a=b[o])&&16&a.__u){for(g=0,h=u.length;g<h;)u[m=g+h>>1]<a.__i?g=m+1:h=m;u[g]=a.__i,p[o]=g+1}for(g=u.length;o--;)p[o]&&(p[o]==g?g--:b[o].__u|=4)}if($)for(o=0;o<f;o++)!(i=n[o])||2&i.__u||(i.__e==s&&(s=Et(i)),ss(i,i));return s}function Wr(t,e,n,s){var r,o,a,i;if(typeof t.type=="function"){if(t.props.__P)return e;if(r=t.__k)for(o=0;o<r.length;o++)r[o]&&(r[o].__=t,e=Wr(r[o],e,n,!1));return e}for(e&&!e.parentNode&&(e=Et(t))&&!e.parentNode&&(e=null),a=t.__e,i=e;i&&i.nodeType==8;)i=i.nextSibling;for(a!=i&&(!s&&n.moveBefore&&a.parentNode?n.moveBefore(a,e):n.insertBefore(a,e||null)),e=a;(e=e&&e.nextSibling)&&e.nodeType==8&&!e.data.startsWith("$s"););return e}function Kl(t,e,n,s){var r,o=t.key,a=t.type,i=e[n],l=i&&!(2&i.__u);if(i===null&&o==null||l&&o==i.key&&a==i.type)return n;if(s>(l?1:0)){for(r=n-1;r>=0;r--)if((i=e[r])&&!(2&i.__u)&&o==i.key&&a==i.type)return r;for(r=n+1;r<e.length;r++)if((i=e[r])&&!(2&i.__u)&&o==i.key&&a==i.type)return r}return-1}function Mr(t,e,n){n==null&&(n=""),e[0]=="-"?t.setProperty(e,n):t[e]=n}function Ve(t,e,n,s,r){var o,a;if(e=="style")if(typeof n=="string")t.style.cssText=n;else{if(typeof s=="string"&&(t.style.cssText=s=""),s)for(e in s)n&&e in n||Mr(t.style,e);if(n)for(e in n)s&&n[e]==s[e]||Mr(t.style,e,n[e])}else if(e[0]=="o"&&e[1]=="n")typeof n!="function"&&(n=null),typeof s!="function"&&(s=null),(t.__e||(t.__e={}))[e]=n,n&&s||(a=Xn[e]||(Xn[e]=Vl(e)),(t.__a||(t.__a={}))[e]=Qn,o=e!=(e=e.replace(qr,"$1")),(e=e.slice(2))[0]<"a"&&(e=e.toLowerCase()),n?t.addEventListener(e,a,o):t.removeEventListener(e,a,o));else{if(r=="http://www.w3.org/2000/svg")e=e.replace(/xlink(H|:h)/,"h").replace(/sName$/,"s");else if(e!="width"&&e!="height"&&e!="href"&&e!="list"&&e!="form"&&e!="tabIndex"&&e!="download"&&e!="rowSpan"&&e!="colSpan"&&e!="role"&&e!="popover"&&e in t)try{return void(t[e]=n??"")}catch{}if(typeof n=="function")return;n==null||n===!1&&e[4]!="-"?t.removeAttribute(e):t.setAttribute(e,e=="popover"&&n==1?"":n)}}function Vl(t){return function(e){var n=this.__e;if(n){if(n=n[t],e[Xe]==null)e[Xe]=Qn++;else if(e[Xe]<this.__a[t])return;return n(U.event?U.event(e):e)}}}function es(t,e,n,s,r,o,a,i,l,c){var u,p,h,m,f,$,g,x,b,v,y,w,M,A,z,k,_,T,N=e.type;if(e.constructor!==ve)return null;128&n.__u&&(l=32&n.__u,u=n.__c.__z)&&(e.__u|=l,p=o=[],u.nodeType==8?i=Je(u,o):o.push(u),i=o[0]||i),(u=U.__b)&&u(e);t:if(typeof N=="function"){h=a.length;try{if(x=e.props,b=(u=N.prototype)&&u.render,v=(u=N.contextType)&&s[u.__c],y=u?v?v.props.value:u.__:s,(m=n.__c)?(e.__c=m,2&m.__g&&(m.__g|=1)):(b?e.__c=m=new N(x,y):(e.__c=m=new Ge(x,y),m.constructor=N,m.render=Gl),v&&v.sub(m),m.state||(m.state={}),m.__n=s,m.__g|=8,m.__h=[],m.__k=[]),b&&(m.__s||(m.__s=m.state),N.getDerivedStateFromProps&&(m.__s==m.state&&(m.__s=Wt({},m.__s)),Wt(m.__s,N.getDerivedStateFromProps(x,m.__s)))),f=m.props,$=m.state,m.__v=e,n.__c){if(x!==f&&b&&!N.getDerivedStateFromProps&&m.componentWillReceiveProps&&m.componentWillReceiveProps(x,y),e.__v==n.__v&&!(8&m.__g)||!(4&m.__g)&&m.shouldComponentUpdate&&m.shouldComponentUpdate(x,m.__s,y)===!1){e.__v!=n.__v&&(m.props=x,m.state=m.__s,m.__g&=-9),e.__e=n.__e,e.__k=n.__k,e.__k.some(function(R){R&&(R.__=e)}),Ze.push.apply(m.__h,m.__k),m.__k=[],m.__h.length&&a.push(m),i=Et(n);break t}m.componentWillUpdate&&m.componentWillUpdate(x,m.__s,y),b&&m.componentDidUpdate&&m.__h.push(function(){m.componentDidUpdate(f,$,g)})}else b&&!N.getDerivedStateFromProps&&m.componentWillMount&&m.componentWillMount(),b&&m.componentDidMount&&m.__h.push(m.componentDidMount);m.context=y,m.props=x,m.__P=t,m.__g&=-5,w=U.__r,M=b?25:0;do m.__g&=-9,w&&w(e),u=m.render(m.props,m.state=m.__s,m.context);while(8&m.__g&&++M<25);b&&(Ze.push.apply(m.__h,m.__k),m.__k=[]),m.state=m.__s,m.getChildContext&&(s=Wt({},s,m.getChildContext())),b&&n.__c&&m.getSnapshotBeforeUpdate&&(g=m.getSnapshotBeforeUpdate(f,$)),A=u&&u.type===tn&&u.key==null?u.props.children:u,x.__P&&(u=i,r=(t=x.__P).namespaceURI,l=o=null,n.props&&n.props.__P!=t&&(n.__k.some(function(R){R&&ss(R,R)}),n.__k=null),i=n.__k?Et(n,0):null),i=Ir(t,Zn(A)?A:[A],e,n,s,r,o,a,i,l,c),x.__P&&(e.__e=null,i=u),e.__u&=-161,p&&p.some(It),m.__h.length&&a.push(m),1&m.__g&&(m.__g&=-4)}catch(R){if(a.length=h,e.__v=null,l||o)if(R&&R.then){if(e.__u|=128|l,o){for(~(_=o.indexOf(i||void 0))||(_=o.length);(T=o[_-1])&&T.nodeType==8;)_--;for(;_<o.length;_++)if(T=o[_])if(o[_]=null,z){if(T==k)break}else{if(T.nodeType!=8)break;T.data.startsWith("$s")&&(k=Je(z=T))}}if(!z){for(;i&&i.nodeType==8&&i.nextSibling;)i=i.nextSibling;z=i}(u=Je(z=e.__c.__z||(e.__c.__z=z)))?(e.__e=z,i=u):e.__e=i,i=i&&i.nextSibling}else o&&o.some(It);else e.__e=n.__e;e.__k||(e.__k=n.__k||[]),R&&R.then||Br(e),U.__e(R,e,n)}}else i=e.__e=Xl(n.__e,e,n,s,r,o,a,l,c,t);return(u=U.diffed)&&u(e),i}function Je(t,e){if(t&&t.nodeType==8&&t.data.startsWith("$s"))for(var n=1;t=t.nextSibling;){if(t.nodeType==8){if(t.data.startsWith("$s"))n++;else if(t.data.startsWith("/$s")&&!--n)return t}e&&e.push(t)}}function Br(t){t&&(t.__c&&(t.__c.__g|=4),t.__k&&t.__k.some(Br))}function Hr(t,e,n){for(var s=0;s<n.length;)ns(n[s++],n[s++],n[s++]);U.__c&&U.__c(e,t),t.some(function(r){try{t=r.__h,r.__h=[],t.some(function(o){o.call(r)})}catch(o){U.__e(o,r.__v)}})}function Xl(t,e,n,s,r,o,a,i,l,c){var u,p,h,m,f,$,g,x,b=n.props||Qe,v=e.props,y=e.type;if(y=="svg"?r="http://www.w3.org/2000/svg":y=="math"?r="http://www.w3.org/1998/Math/MathML":r||(r="http://www.w3.org/1999/xhtml"),o){for(u=0;u<o.length;u++)if((f=o[u])&&(y?f.localName==y:f.nodeType==3)){t=f,o[u]=null;break}}if(!t){if(x=c.ownerDocument||document,!y)return x.createTextNode(v);t=x.createElementNS(r,y,v.is?v:c),i&&(U.__m&&U.__m(e,o),i=!1),o=null}if(y){if(c=y=="template"&&t.content||t,o=y=="textarea"&&v.defaultValue!=null?null:o&&ts.call(c.childNodes),!i&&o)for(b={},u=0;u<t.attributes.length;u++)b[(f=t.attributes[u]).name]=f.value;for(u in b)f=b[u],u=="dangerouslySetInnerHTML"?h=f:u=="children"||u in v||u=="value"&&"defaultValue"in v||u=="checked"&&"defaultChecked"in v||Ve(t,u,null,f,r);for(u in v)f=v[u],u=="children"?m=f:u=="dangerouslySetInnerHTML"?p=f:u=="value"?$=f:u=="checked"?g=f:i&&typeof f!="function"||b[u]===f||Ve(t,u,f,b[u],r);p?(i||h&&(p.__html==h.__html||p.__html==t.innerHTML)||(t.innerHTML=p.__html),e.__k=[]):(h&&(t.textContent=""),(y=="foreignObject"||r=="http://www.w3.org/1998/Math/MathML"&&Wl.test(y))&&(r="http://www.w3.org/1999/xhtml"),Ir(c,Zn(m)?m:[m],e,n,s,r,o,a,o?o[0]:n.__k&&Et(n,0),i,l),o&&o.some(It)),i&&y!="textarea"||(u="value",y=="progress"&&$==null?t.removeAttribute(u):$==null||$===t[u]&&(y!="progress"||$)||Ve(t,u,$,b[u],r),u="checked",g!=null&&g!=t[u]&&Ve(t,u,g,b[u],r))}else b===v||i&&t.data==v||(t.data=v);return t}function ns(t,e,n,s){try{typeof t=="function"?e?e.__x=t(e)||1:s&&(s=s.__c||s.__e)&&(e=s.__x)&&(s.__x=null,typeof e=="function"?e():t(null)):t.current=e}catch(r){U.__e(r,n)}}function ss(t,e,n){var s,r,o,a;if(U.unmount&&U.unmount(t),!(s=t.ref)||s.current&&s.current!=t.__e||ns(s,null,e,t),s=t.__c){if(s.componentWillUnmount)try{s.componentWillUnmount()}catch(i){U.__e(i,e)}s.__P=s.__n=null}if(s=t.__k)for(a=0;a<s.length;a++)s[a]&&ss(s[a],e,typeof t.type!="function"||n&&!t.props.__P);!n&&(s=t.__c)&&(s=s.__z)&&(r=Je(s,o=[]))&&(s==t.__e&&o.some(It),It(r),It(s)),n||It(t.__e),t.__e=t.__c=t.__=null}function Gl(t,e,n){return this.constructor(t,n)}function we(t,e){var n,s,r,o;U.__&&U.__(t,e),e.nodeType==9&&(e=e.documentElement),s=(n=t&&32&t.__u)?null:e.__k,e.__k=xe(tn,{children:[t]}),r=[],o=[],es(e,e.__k,s||Qe,Qe,e.namespaceURI,s?null:e.firstChild?ts.call(e.childNodes):null,r,s?s.__e:e.firstChild,n,o),Hr(r,e.__k,o),e.__k.props.children=null}U={__e:function(t,e,n,s){for(var r,o,a;e=e.__;)if((r=e.__c)&&!(1&r.__g)){r.__g|=4;try{if((a=(o=r.constructor)&&o.getDerivedStateFromError)&&r.setState(o.getDerivedStateFromError(t)),r.componentDidCatch&&(r.componentDidCatch(t,s||{}),a=1),a&&8&r.__g)return void(r.__g|=2)}catch(i){t=i}}throw Ye=0,t}},Rr=0,Fl=function(t){return t!=null&&t.constructor===ve},Ge.prototype.setState=function(t,e){var n=this.__s;n&&n!=this.state||(n=this.__s=Wt({},this.state)),typeof t=="function"&&(t=t(Wt({},n),this.props)),t&&(Wt(n,t),this.__v&&(e&&this.__k.push(e),kr(this)))},Ge.prototype.forceUpdate=function(t){this.__v&&(this.__g|=4,t&&this.__h.push(t),kr(this))},Ge.prototype.render=tn,Tt=[],Ye=0,Dr=function(t,e){return t.__v.__b-e.__v.__b},Xe=Symbol(),qr=/(PointerCapture)$|Capture$/i,Qn=0,Xn={},Il=0;var Bt,Y,Kn,Sr,Gn=Object.is,be=0,Ur=[],Jn=[],J=U,Nr=J.__b,Cr=J.__r,Ar=J.diffed,Tr=J.__c,Er=J.unmount,Or=J.__;function _e(t,e){J.__h&&J.__h(Y,t,be||e),be=0;var n=Y.__H||(Y.__H={__:[],__h:[]});return t>=n.__.length&&n.__.push({}),n.__[t]}function q(t){return be=1,Jl(Vr,t)}function Jl(t,e,n){var s=_e(Bt++,2);if(s.t=t,!s.__c&&(s.__=[n?n(e):Vr(void 0,e),function(o){var a=(s.__N||s.__)[0],i=s.t(a,o);Gn(a,i)||(s.__N=[i,s.__[1]],s.__c.setState({}))}],s.__c=Y,!Y.__f)){Y.__f=!0;var r=Y.shouldComponentUpdate;Y.shouldComponentUpdate=function(o,a,i){var l=this.__H;if(!l)return!0;var c=!1,u=this.props!=o;if(l.__.some(function(h){h.__N&&(c=!0,Gn(h.__[0],h.__N[0])||(u=!0))}),r){var p=r.call(this,o,a,i);return c?p||u:p}return!c||u}}return s.__}function I(t,e){var n=_e(Bt++,3);!J.__s&&rs(n.__H,e)&&(n.__P=!0,n.__=t,n.u=e,Y.__H.__h.push(n))}function it(t,e){var n=_e(Bt++,4);!J.__s&&rs(n.__H,e)&&(n.__P=!1,n.__=t,n.u=e,Y.__h.push(n))}function D(t){return be=5,K(function(){return{current:t}},[])}function K(t,e){var n=_e(Bt++,7);return rs(n.__H,e)&&(n.__=t(),n.__H=e),n.__}function Kr(t,e){return be=8,K(function(){return t},e)}function X(){var t=_e(Bt++,11);if(!t.__){for(var e=Y.__v;!e.__m&&e.__;)e=e.__;var n=e.__m||(e.__m=[0,0]);t.__="P"+n[0]+"-"+n[1]++}return t.__}function Yl(){var t;do{for(;t=Jn.shift();)try{ye(t)}catch(n){J.__e(n,{__:(t=t.__P)&&t.__v})}for(;t=Ur.shift();){var e=t.__H;if(t.__P&&e)try{e.__h.some(ye),e.__h.some(Yn),e.__h=[]}catch(n){e.__h=[],J.__e(n,t.__v)}}}while(Jn.length)}J.__b=function(t){Y=null,Nr&&Nr(t)},J.__=function(t,e){t&&e.__k&&e.__k.__m&&(t.__m=e.__k.__m),Or&&Or(t,e)},J.__r=function(t){Cr&&Cr(t),Bt=0;var e=(Y=t.__c).__H;e&&(Kn==Y?Y.__h=[]:(e.__h.some(ye),e.__h.some(Yn),Bt=0),e.__h=[],e.__.some(function(n){n.__N&&(n.__=n.__N),n.u=n.__N=void 0})),Kn=Y},J.diffed=function(t){Ar&&Ar(t);var e=t.__c;e&&e.__H&&(e.__H.__h.length&&Lr(Ur.push(e)),e.__H.__.some(function(n){n.u&&(n.__H=n.u)})),Kn=Y=null},J.__c=function(t,e){e.some(function(n){try{n.__h.some(ye),n.__h=n.__h.filter(function(s){return!s.__||Yn(s)})}catch(s){n.__h=[function(){throw s}]}}),Tr&&Tr(t,e)},J.unmount=function(t){Er&&Er(t);var e,n,s=t.__c;s&&s.__H&&(s.__H.__.some(function(r){try{if(r.__P&&r.__c){if(n===void 0){for(n=t.__;n&&(!n.__c||!n.__c.__P);)n=n.__;n=n&&n.__c}r.__P=n,Lr(Jn.push(r))}else ye(r)}catch(o){e=o}}),s.__H=void 0,e&&J.__e(e,s.__v))};var Pr=typeof requestAnimationFrame=="function";function Ql(t){var e,n=function(){clearTimeout(s),Pr&&cancelAnimationFrame(e),setTimeout(t)},s=setTimeout(n,35);Pr&&(e=requestAnimationFrame(n))}function Lr(t){t!=1&&Sr==J.requestAnimationFrame||((Sr=J.requestAnimationFrame)||Ql)(Yl)}function ye(t){var e=Y,n=t.__c;typeof n=="function"&&(t.__c=void 0,n()),Y=e}function Yn(t){var e=Y;t.__c=t.__(),Y=e}function rs(t,e){return!t||t.length!=e.length||e.some(function(n,s){return!Gn(n,t[s])})}function Vr(t,e){return typeof e=="function"?e(t):e}var Xr=function(t,e,n,s){var r;e[0]=0;for(var o=1;o<e.length;o++){var a=e[o++],i=e[o]?(e[0]|=a?1:2,n[e[o++]]):e[++o];a===3?s[0]=i:a===4?s[1]=Object.assign(s[1]||{},i):a===5?(s[1]=s[1]||{})[e[++o]]=i:a===6?s[1][e[++o]]+=i+"":a?(r=t.apply(i,Xr(t,i,n,["",null])),s.push(r),i[0]?e[0]|=2:(e[o-2]=0,e[o]=r)):s.push(i)}return s},zr=new Map;function Zl(t){var e=zr.get(this);return e||(e=new Map,zr.set(this,e)),(e=Xr(this,e.get(t)||(e.set(t,e=(function(n){for(var s,r,o=1,a="",i="",l=[0],c=function(h){o===1&&(h||(a=a.replace(/^\s*\n\s*|\s*\n\s*$/g,"")))?l.push(0,h,a):o===3&&(h||a)?(l.push(3,h,a),o=2):o===2&&a==="..."&&h?l.push(4,h,0):o===2&&a&&!h?l.push(5,0,!0,a):o>=5&&((a||!h&&o===5)&&(l.push(o,0,a,r),o=6),h&&(l.push(o,h,0,r),o=6)),a=""},u=0;u<n.length;u++){u&&(o===1&&c(),c(u));for(var p=0;p<n[u].length;p++)s=n[u][p],o===1?s==="<"?(c(),l=[l],o=3):a+=s:o===4?a==="--"&&s===">"?(o=1,a=""):a=s+a[0]:i?s===i?i="":a+=s:s==='"'||s==="'"?i=s:s===">"?(c(),o=1):o&&(s==="="?(o=5,r=a,a=""):s==="/"&&(o<5||n[u][p+1]===">")?(c(),o===3&&(l=l[0]),o=l,(l=l[0]).push(2,0,o),o=0):s===" "||s==="	"||s===`
`||s==="\r"?(c(),o=2):a+=s),o===3&&a==="!--"&&(o=4,l=l[0])}return c(),l})(t)),e),arguments,[])).length>1?e:e[0]}var d=Zl.bind(Bl);function Yr(t){return os.has(t)||os.set(t,tc(t)),os.get(t)}var os=new WeakMap;function tc(t){let e=new Map,n=Math.random().toString(36).slice(2),s=0;return t.on("msg:custom",(r,o)=>{let a=e.get(r?.id);a&&(e.delete(r.id),r.error!==void 0?a.reject(Object.assign(new Error(r.error),{status:r.status})):a.resolve(o?.length?ec(o[0]):r.response))}),(r,o={},{signal:a}={})=>new Promise((i,l)=>{if(a?.aborted)return l(Gr());let c=`${n}-${++s}`;e.set(c,{resolve:i,reject:l}),a?.addEventListener("abort",()=>{e.delete(c)&&(t.send({id:c,cancel:!0}),l(Gr()))}),t.send({id:c,name:r,request:o})})}var Gr=()=>new DOMException("nobody waits for it any more","AbortError"),$t=t=>t?.name==="AbortError";function ec(t){let e=t instanceof DataView?t:new DataView(t.buffer??t,t.byteOffset??0),n=e.getUint32(0,!0),s=JSON.parse(new TextDecoder().decode(new Uint8Array(e.buffer,e.byteOffset+4,n))),r=e.byteOffset+4+n,o=r%8?e.buffer.slice(r,e.byteOffset+e.byteLength):e.buffer,a=new Uint8Array(e.buffer,e.byteOffset,e.byteLength);return{header:s,data:o,offset:r%8?0:r,packed:a}}var en=class{constructor(e){this.state=e,this.listeners=new Map}get(e){return this.state[e]}set(e,n){this.state[e]!==n&&(this.state[e]=n,this.emit(`change:${e}`,n))}save_changes(){}on(e,n){this.listeners.set(e,[...this.listeners.get(e)??[],n])}off(e,n){this.listeners.set(e,(this.listeners.get(e)??[]).filter(s=>n&&s!==n))}emit(e,...n){for(let s of this.listeners.get(e)??[])s(...n)}},nn=class extends en{running=new Map;async send({id:e,name:n,request:s,cancel:r}){if(r)return this.running.get(e)?.abort();let o=new AbortController;this.running.set(e,o);try{let a={"Content-Type":"application/json"},i=JSON.stringify(s),l=await fetch(`api/${n}`,{method:"POST",headers:a,body:i,signal:o.signal});if(l.headers.get("content-type")?.startsWith("application/octet-stream"))this.emit("msg:custom",{id:e},[await l.arrayBuffer()]);else{let c=await l.json();l.ok?this.emit("msg:custom",{id:e,response:c}):this.emit("msg:custom",{id:e,error:c.error??"the server failed",status:l.status})}}catch(a){$t(a)||this.emit("msg:custom",{id:e,error:"the server does not respond; is it still running?"})}finally{this.running.delete(e)}}},sn=class extends en{constructor(e,n){super(e),this.answers=new Map(n.map(([s,r,o])=>[Jr(s,r),o]))}send({id:e,name:n,request:s,cancel:r}){if(r)return;let o=this.answers.get(Jr(n,s));queueMicrotask(()=>{o===void 0?this.emit("msg:custom",{id:e,error:"the saved file does not hold this; run regard explore to see it",status:404}):typeof o=="string"?this.emit("msg:custom",{id:e},[nc(o).buffer]):this.emit("msg:custom",{id:e,response:o})})}},Jr=(t,e)=>`${t} ${JSON.stringify(as(e))}`,as=t=>Array.isArray(t)?t.map(as):t&&typeof t=="object"?Object.fromEntries(Object.keys(t).sort().map(e=>[e,as(t[e])])):t;function nc(t){let e=atob(t),n=new Uint8Array(e.length);for(let s=0;s<e.length;s++)n[s]=e.charCodeAt(s);return n}function is(t){let e=[];for(let n=0;n<t.length;n+=32768)e.push(String.fromCharCode(...t.subarray(n,n+32768)));return btoa(e.join(""))}function G(t,e,n){let s=n==null?null:JSON.stringify(n),[r,o]=q({response:null,error:null,waiting:s!==null,of:null});return I(()=>{if(s===null){o(i=>i.waiting?{...i,waiting:!1}:i);return}let a=new AbortController;return o(i=>({...i,waiting:!0})),t(e,JSON.parse(s),{signal:a.signal}).then(i=>o({response:i,error:null,waiting:!1,of:s}),i=>$t(i)||o(l=>({...l,error:i.message,waiting:!1}))),()=>a.abort()},[t,e,s]),r}function gt(t,e,n){let s=n==null?null:JSON.stringify(n),[r,o]=q({response:null,error:null,waiting:s!==null,of:null}),a=D({busy:!1,next:null,here:!0});return I(()=>(a.current.here=!0,()=>a.current.here=!1),[]),I(()=>{if(s===null)return;let i=a.current,l=async c=>{i.busy=!0,i.next=null;try{let u=await t(e,JSON.parse(c));i.here&&o({response:u,error:null,waiting:i.next!==null,of:c})}catch(u){i.here&&!$t(u)&&o(p=>({...p,error:u.message,waiting:!1}))}i.busy=!1,i.next!==null&&i.here&&l(i.next)};i.busy?i.next=s:l(s)},[t,e,s]),r}var sc={light:{weight:["#f4f6fc","#c3cff5","#7f97ea","#3457d5","#1b2f8a","#0b1547"],signed:["#8c3a00","#d9752b","#f3c9a4","#f6f7fa","#b3c1f2","#4a68da","#182a80"]},dark:{weight:["#1a1d27","#262f57","#3a4fae","#6f88ee","#b3c3ff","#f6f8ff"],signed:["#ffc795","#d9803a","#6e4526","#1d202a","#2f3f85","#6f88ee","#d3dcff"]}},xt=["curve-1","curve-2","curve-3","curve-4","curve-5","curve-6"],Me=["","6 3","2 3","8 3 2 3","1 3","10 4"],rc=t=>[1,3,5].map(e=>parseInt(t.slice(e,e+2),16)),rn=t=>(t/=255)<=.04045?t/12.92:((t+.055)/1.055)**2.4,oc=t=>Math.round(255*(t<=.0031308?12.92*t:1.055*t**(1/2.4)-.055));function ac(t){let e=t.map(s=>rc(s).map(rn)),n=new Uint8ClampedArray(256*4);for(let s=0;s<256;s++){let r=s/255*(e.length-1),o=Math.min(Math.floor(r),e.length-2);for(let a=0;a<3;a++)n[4*s+a]=oc(e[o][a]+(r-o)*(e[o+1][a]-e[o][a]));n[4*s+3]=255}return n}var ls=new Map,ke=()=>document.documentElement.dataset.theme??(matchMedia("(prefers-color-scheme: dark)").matches?"dark":"light");function Ht(t){let e=`${ke()} ${t}`;return ls.has(e)||ls.set(e,ac(sc[ke()][t])),ls.get(e)}function on(t,e,n){if(!(n>0)||Number.isNaN(t))return e==="signed"?128:0;let s=e==="signed"?.5+t/n/2:Math.sqrt(Math.max(t,0)/n);return Math.max(0,Math.min(255,Math.round(255*s)))}function Ot(t,e,n){let s=Ht(e),r=4*on(t,e,n);return`rgb(${s[r]}, ${s[r+1]}, ${s[r+2]})`}function Qr(t,e,n){let s=Ht(e),r=4*on(t,e,n);return .2126*rn(s[r])+.7152*rn(s[r+1])+.0722*rn(s[r+2])>.2?"#14161d":"#ffffff"}function Zr(t){let e=matchMedia("(prefers-color-scheme: dark)"),n=new MutationObserver(t);return n.observe(document.documentElement,{attributeFilter:["data-theme"]}),e.addEventListener("change",t),()=>(n.disconnect(),e.removeEventListener("change",t))}var an=()=>d`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
  <g><rect x="3" y="3" width="8" height="8" rx="2" /><rect x="12" y="12" width="8" height="8" rx="2" />
    <rect x="21" y="21" width="8" height="8" rx="2" /></g>
  <g opacity=".45"><rect x="3" y="12" width="8" height="8" rx="2" /><rect x="12" y="21" width="8" height="8" rx="2" /></g>
  <rect x="3" y="21" width="8" height="8" rx="2" opacity=".2" />
</svg>`,eo="regard-theme",to=()=>{try{return localStorage.getItem(eo)}catch{return null}};to()&&no(to());function no(t){document.documentElement.dataset.theme=t,document.documentElement.style.colorScheme=t}function ln(){let e=lt()==="dark"?"light":"dark";return d`<button class="quiet" onClick=${()=>{no(e);try{localStorage.setItem(eo,e)}catch{}}} aria-label=${`Use ${e} colours`} title=${`Use ${e} colours`}>
    <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
      <circle cx="10" cy="10" r="7" fill="none" stroke="currentColor" stroke-width="1.5" />
      <path d="M10 3a7 7 0 0 1 0 14z" fill="currentColor" />
    </svg>
  </button>`}function lt(){let[t,e]=q(ke);return I(()=>Zr(()=>e(ke())),[]),t}function Q(){let t=D(null),[e,n]=q(0);return it(()=>{let s=new ResizeObserver(([r])=>n(Math.floor(r.contentRect.width)));return s.observe(t.current),n(Math.floor(t.current.getBoundingClientRect().width)),()=>s.disconnect()},[]),[t,e]}function F({title:t,note:e,class:n="",actions:s,children:r}){return d`<section class=${`panel ${n}`}>
    ${(t||s)&&d`<div class="panel-head"><h2>${t}</h2>${s}</div>`}
    ${e&&d`<p class="note">${e}</p>`}
    ${r}
  </section>`}function W({error:t,waiting:e,children:n}){return d`<div class="said" role="status" aria-live="polite">
    ${t?d`<p class="error">${t}</p>`:e?d`<p class="waiting">${n??"computing …"}</p>`:null}
  </div>`}function Pt({place:t,class:e="",noted:n=!0,what:s,children:r}){return t!=="file"?d`<div class=${e||"as-itself"}>${r}</div>`:d`<fieldset class=${`saved-still ${e}`} disabled>${n&&d`<${Ut} place=${t} what=${s} />`}${r}</fieldset>`}var Ut=({place:t,what:e="change it"})=>t==="file"&&d`<p class="note saved-note">Saved from regard: run <code>regard explore</code> to ${e}.</p>`,cs=(t,e,n,s)=>Number.isFinite(t)?Math.min(n,Math.max(e,t)):s,ee=(t,e,n,s)=>Number.isFinite(t)?Math.round(cs(t,e,n)):s,Se=(t,e,n)=>e.includes(t)?t:n,cn=(t,e,n)=>Array.isArray(t)&&t.length===2&&t.every(Number.isFinite)?t.map(s=>ee(s,e,n)):null,Lt=()=>matchMedia("(prefers-reduced-motion: reduce)").matches;function mn(t,e){return t==null||e==null?NaN:t<e?-1:t>e?1:t>=e?0:NaN}function ic(t,e){return t==null||e==null?NaN:e<t?-1:e>t?1:e>=t?0:NaN}function Oo(t){let e,n,s;t.length!==2?(e=mn,n=(i,l)=>mn(t(i),l),s=(i,l)=>t(i)-l):(e=t===mn||t===ic?t:lc,n=t,s=t);function r(i,l,c=0,u=i.length){if(c<u){if(e(l,l)!==0)return u;do{let p=c+u>>>1;n(i[p],l)<0?c=p+1:u=p}while(c<u)}return c}function o(i,l,c=0,u=i.length){if(c<u){if(e(l,l)!==0)return u;do{let p=c+u>>>1;n(i[p],l)<=0?c=p+1:u=p}while(c<u)}return c}function a(i,l,c=0,u=i.length){let p=r(i,l,c,u-1);return p>c&&s(i[p-1],l)>-s(i[p],l)?p-1:p}return{left:r,center:a,right:o}}function lc(){return 0}function cc(t){return t===null?NaN:+t}var Po=Oo(mn),uc=Po.right,Zd=Po.left,tm=Oo(cc).center,em=Lo(zo),nm=Lo(pc);function Lo(t){return function(e,n,s=n){if(!((n=+n)>=0))throw new RangeError("invalid rx");if(!((s=+s)>=0))throw new RangeError("invalid ry");let{data:r,width:o,height:a}=e;if(!((o=Math.floor(o))>=0))throw new RangeError("invalid width");if(!((a=Math.floor(a!==void 0?a:r.length/o))>=0))throw new RangeError("invalid height");if(!o||!a||!n&&!s)return e;let i=n&&t(n),l=s&&t(s),c=r.slice();return i&&l?(ne(i,c,r,o,a),ne(i,r,c,o,a),ne(i,c,r,o,a),se(l,r,c,o,a),se(l,c,r,o,a),se(l,r,c,o,a)):i?(ne(i,r,c,o,a),ne(i,c,r,o,a),ne(i,r,c,o,a)):l&&(se(l,r,c,o,a),se(l,c,r,o,a),se(l,r,c,o,a)),e}}function ne(t,e,n,s,r){for(let o=0,a=s*r;o<a;)t(e,n,o,o+=s,1)}function se(t,e,n,s,r){for(let o=0,a=s*r;o<s;++o)t(e,n,o,o+a,s)}function pc(t){let e=zo(t);return(n,s,r,o,a)=>{r<<=2,o<<=2,a<<=2,e(n,s,r+0,o+0,a),e(n,s,r+1,o+1,a),e(n,s,r+2,o+2,a),e(n,s,r+3,o+3,a)}}function zo(t){let e=Math.floor(t);if(e===t)return hc(t);let n=t-e,s=2*t+1;return(r,o,a,i,l)=>{if(!((i-=l)>=a))return;let c=e*o[a],u=l*e,p=u+l;for(let h=a,m=a+u;h<m;h+=l)c+=o[Math.min(i,h)];for(let h=a,m=i;h<=m;h+=l)c+=o[Math.min(i,h+u)],r[h]=(c+n*(o[Math.max(a,h-p)]+o[Math.min(i,h+p)]))/s,c-=o[Math.max(a,h-u)]}}function hc(t){let e=2*t+1;return(n,s,r,o,a)=>{if(!((o-=a)>=r))return;let i=t*s[r],l=a*t;for(let c=r,u=r+l;c<u;c+=a)i+=s[Math.min(o,c)];for(let c=r,u=o;c<=u;c+=a)i+=s[Math.min(o,c+l)],n[c]=i/e,i-=s[Math.max(r,c-l)]}}var dc=Array.prototype,sm=dc.slice,mc=Math.sqrt(50),fc=Math.sqrt(10),$c=Math.sqrt(2);function fn(t,e,n){let s=(e-t)/Math.max(0,n),r=Math.floor(Math.log10(s)),o=s/Math.pow(10,r),a=o>=mc?10:o>=fc?5:o>=$c?2:1,i,l,c;return r<0?(c=Math.pow(10,-r)/a,i=Math.round(t*c),l=Math.round(e*c),i/c<t&&++i,l/c>e&&--l,c=-c):(c=Math.pow(10,r)*a,i=Math.round(t/c),l=Math.round(e/c),i*c<t&&++i,l*c>e&&--l),l<i&&.5<=n&&n<2?fn(t,e,n*2):[i,l,c]}function gs(t,e,n){if(e=+e,t=+t,n=+n,!(n>0))return[];if(t===e)return[t];let s=e<t,[r,o,a]=s?fn(e,t,n):fn(t,e,n);if(!(o>=r))return[];let i=o-r+1,l=new Array(i);if(s)if(a<0)for(let c=0;c<i;++c)l[c]=(o-c)/-a;else for(let c=0;c<i;++c)l[c]=(o-c)*a;else if(a<0)for(let c=0;c<i;++c)l[c]=(r+c)/-a;else for(let c=0;c<i;++c)l[c]=(r+c)*a;return l}function xs(t,e,n){return e=+e,t=+t,n=+n,fn(t,e,n)[2]}function gc(t,e,n){e=+e,t=+t,n=+n;let s=e<t,r=s?xs(e,t,n):xs(t,e,n);return(s?-1:1)*(r<0?1/-r:r)}var rm=xc(Math.random);function xc(t){return function(e,n=0,s=e.length){let r=s-(n=+n);for(;r;){let o=t()*r--|0,a=e[r+n];e[r+n]=e[o+n],e[o+n]=a}return e}}function ce(t,e,n){t.prototype=e.prototype=n,n.constructor=t}function Oe(t,e){var n=Object.create(t.prototype);for(var s in e)n[s]=e[s];return n}function Rt(){}var Jt=.7,ie=1/Jt,oe="\\s*([+-]?\\d+)\\s*",Ce="\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)\\s*",bt="\\s*([+-]?(?:\\d*\\.)?\\d+(?:[eE][+-]?\\d+)?)%\\s*",yc=/^#([0-9a-f]{3,8})$/,bc=new RegExp(`^rgb\\(${oe},${oe},${oe}\\)$`),vc=new RegExp(`^rgb\\(${bt},${bt},${bt}\\)$`),wc=new RegExp(`^rgba\\(${oe},${oe},${oe},${Ce}\\)$`),_c=new RegExp(`^rgba\\(${bt},${bt},${bt},${Ce}\\)$`),kc=new RegExp(`^hsl\\(${Ce},${bt},${bt}\\)$`),Mc=new RegExp(`^hsla\\(${Ce},${bt},${bt},${Ce}\\)$`),so={aliceblue:15792383,antiquewhite:16444375,aqua:65535,aquamarine:8388564,azure:15794175,beige:16119260,bisque:16770244,black:0,blanchedalmond:16772045,blue:255,blueviolet:9055202,brown:10824234,burlywood:14596231,cadetblue:6266528,chartreuse:8388352,chocolate:13789470,coral:16744272,cornflowerblue:6591981,cornsilk:16775388,crimson:14423100,cyan:65535,darkblue:139,darkcyan:35723,darkgoldenrod:12092939,darkgray:11119017,darkgreen:25600,darkgrey:11119017,darkkhaki:12433259,darkmagenta:9109643,darkolivegreen:5597999,darkorange:16747520,darkorchid:10040012,darkred:9109504,darksalmon:15308410,darkseagreen:9419919,darkslateblue:4734347,darkslategray:3100495,darkslategrey:3100495,darkturquoise:52945,darkviolet:9699539,deeppink:16716947,deepskyblue:49151,dimgray:6908265,dimgrey:6908265,dodgerblue:2003199,firebrick:11674146,floralwhite:16775920,forestgreen:2263842,fuchsia:16711935,gainsboro:14474460,ghostwhite:16316671,gold:16766720,goldenrod:14329120,gray:8421504,green:32768,greenyellow:11403055,grey:8421504,honeydew:15794160,hotpink:16738740,indianred:13458524,indigo:4915330,ivory:16777200,khaki:15787660,lavender:15132410,lavenderblush:16773365,lawngreen:8190976,lemonchiffon:16775885,lightblue:11393254,lightcoral:15761536,lightcyan:14745599,lightgoldenrodyellow:16448210,lightgray:13882323,lightgreen:9498256,lightgrey:13882323,lightpink:16758465,lightsalmon:16752762,lightseagreen:2142890,lightskyblue:8900346,lightslategray:7833753,lightslategrey:7833753,lightsteelblue:11584734,lightyellow:16777184,lime:65280,limegreen:3329330,linen:16445670,magenta:16711935,maroon:8388608,mediumaquamarine:6737322,mediumblue:205,mediumorchid:12211667,mediumpurple:9662683,mediumseagreen:3978097,mediumslateblue:8087790,mediumspringgreen:64154,mediumturquoise:4772300,mediumvioletred:13047173,midnightblue:1644912,mintcream:16121850,mistyrose:16770273,moccasin:16770229,navajowhite:16768685,navy:128,oldlace:16643558,olive:8421376,olivedrab:7048739,orange:16753920,orangered:16729344,orchid:14315734,palegoldenrod:15657130,palegreen:10025880,paleturquoise:11529966,palevioletred:14381203,papayawhip:16773077,peachpuff:16767673,peru:13468991,pink:16761035,plum:14524637,powderblue:11591910,purple:8388736,rebeccapurple:6697881,red:16711680,rosybrown:12357519,royalblue:4286945,saddlebrown:9127187,salmon:16416882,sandybrown:16032864,seagreen:3050327,seashell:16774638,sienna:10506797,silver:12632256,skyblue:8900331,slateblue:6970061,slategray:7372944,slategrey:7372944,snow:16775930,springgreen:65407,steelblue:4620980,tan:13808780,teal:32896,thistle:14204888,tomato:16737095,turquoise:4251856,violet:15631086,wheat:16113331,white:16777215,whitesmoke:16119285,yellow:16776960,yellowgreen:10145074};ce(Rt,Ae,{copy(t){return Object.assign(new this.constructor,this,t)},displayable(){return this.rgb().displayable()},hex:ro,formatHex:ro,formatHex8:Sc,formatHsl:Nc,formatRgb:oo,toString:oo});function ro(){return this.rgb().formatHex()}function Sc(){return this.rgb().formatHex8()}function Nc(){return Ro(this).formatHsl()}function oo(){return this.rgb().formatRgb()}function Ae(t){var e,n;return t=(t+"").trim().toLowerCase(),(e=yc.exec(t))?(n=e[1].length,e=parseInt(e[1],16),n===6?ao(e):n===3?new tt(e>>8&15|e>>4&240,e>>4&15|e&240,(e&15)<<4|e&15,1):n===8?un(e>>24&255,e>>16&255,e>>8&255,(e&255)/255):n===4?un(e>>12&15|e>>8&240,e>>8&15|e>>4&240,e>>4&15|e&240,((e&15)<<4|e&15)/255):null):(e=bc.exec(t))?new tt(e[1],e[2],e[3],1):(e=vc.exec(t))?new tt(e[1]*255/100,e[2]*255/100,e[3]*255/100,1):(e=wc.exec(t))?un(e[1],e[2],e[3],e[4]):(e=_c.exec(t))?un(e[1]*255/100,e[2]*255/100,e[3]*255/100,e[4]):(e=kc.exec(t))?co(e[1],e[2]/100,e[3]/100,1):(e=Mc.exec(t))?co(e[1],e[2]/100,e[3]/100,e[4]):so.hasOwnProperty(t)?ao(so[t]):t==="transparent"?new tt(NaN,NaN,NaN,0):null}function ao(t){return new tt(t>>16&255,t>>8&255,t&255,1)}function un(t,e,n,s){return s<=0&&(t=e=n=NaN),new tt(t,e,n,s)}function Ns(t){return t instanceof Rt||(t=Ae(t)),t?(t=t.rgb(),new tt(t.r,t.g,t.b,t.opacity)):new tt}function $n(t,e,n,s){return arguments.length===1?Ns(t):new tt(t,e,n,s??1)}function tt(t,e,n,s){this.r=+t,this.g=+e,this.b=+n,this.opacity=+s}ce(tt,$n,Oe(Rt,{brighter(t){return t=t==null?ie:Math.pow(ie,t),new tt(this.r*t,this.g*t,this.b*t,this.opacity)},darker(t){return t=t==null?Jt:Math.pow(Jt,t),new tt(this.r*t,this.g*t,this.b*t,this.opacity)},rgb(){return this},clamp(){return new tt(Xt(this.r),Xt(this.g),Xt(this.b),gn(this.opacity))},displayable(){return-.5<=this.r&&this.r<255.5&&-.5<=this.g&&this.g<255.5&&-.5<=this.b&&this.b<255.5&&0<=this.opacity&&this.opacity<=1},hex:io,formatHex:io,formatHex8:Cc,formatRgb:lo,toString:lo}));function io(){return`#${Vt(this.r)}${Vt(this.g)}${Vt(this.b)}`}function Cc(){return`#${Vt(this.r)}${Vt(this.g)}${Vt(this.b)}${Vt((isNaN(this.opacity)?1:this.opacity)*255)}`}function lo(){let t=gn(this.opacity);return`${t===1?"rgb(":"rgba("}${Xt(this.r)}, ${Xt(this.g)}, ${Xt(this.b)}${t===1?")":`, ${t})`}`}function gn(t){return isNaN(t)?1:Math.max(0,Math.min(1,t))}function Xt(t){return Math.max(0,Math.min(255,Math.round(t)||0))}function Vt(t){return t=Xt(t),(t<16?"0":"")+t.toString(16)}function co(t,e,n,s){return s<=0?t=e=n=NaN:n<=0||n>=1?t=e=NaN:e<=0&&(t=NaN),new dt(t,e,n,s)}function Ro(t){if(t instanceof dt)return new dt(t.h,t.s,t.l,t.opacity);if(t instanceof Rt||(t=Ae(t)),!t)return new dt;if(t instanceof dt)return t;t=t.rgb();var e=t.r/255,n=t.g/255,s=t.b/255,r=Math.min(e,n,s),o=Math.max(e,n,s),a=NaN,i=o-r,l=(o+r)/2;return i?(e===o?a=(n-s)/i+(n<s)*6:n===o?a=(s-e)/i+2:a=(e-n)/i+4,i/=l<.5?o+r:2-o-r,a*=60):i=l>0&&l<1?0:a,new dt(a,i,l,t.opacity)}function ys(t,e,n,s){return arguments.length===1?Ro(t):new dt(t,e,n,s??1)}function dt(t,e,n,s){this.h=+t,this.s=+e,this.l=+n,this.opacity=+s}ce(dt,ys,Oe(Rt,{brighter(t){return t=t==null?ie:Math.pow(ie,t),new dt(this.h,this.s,this.l*t,this.opacity)},darker(t){return t=t==null?Jt:Math.pow(Jt,t),new dt(this.h,this.s,this.l*t,this.opacity)},rgb(){var t=this.h%360+(this.h<0)*360,e=isNaN(t)||isNaN(this.s)?0:this.s,n=this.l,s=n+(n<.5?n:1-n)*e,r=2*n-s;return new tt(us(t>=240?t-240:t+120,r,s),us(t,r,s),us(t<120?t+240:t-120,r,s),this.opacity)},clamp(){return new dt(uo(this.h),pn(this.s),pn(this.l),gn(this.opacity))},displayable(){return(0<=this.s&&this.s<=1||isNaN(this.s))&&0<=this.l&&this.l<=1&&0<=this.opacity&&this.opacity<=1},formatHsl(){let t=gn(this.opacity);return`${t===1?"hsl(":"hsla("}${uo(this.h)}, ${pn(this.s)*100}%, ${pn(this.l)*100}%${t===1?")":`, ${t})`}`}}));function uo(t){return t=(t||0)%360,t<0?t+360:t}function pn(t){return Math.max(0,Math.min(1,t||0))}function us(t,e,n){return(t<60?e+(n-e)*t/60:t<180?n:t<240?e+(n-e)*(240-t)/60:e)*255}var Do=Math.PI/180,qo=180/Math.PI,xn=18,jo=.96422,Fo=1,Io=.82521,Wo=4/29,ae=6/29,Bo=3*ae*ae,Ac=ae*ae*ae;function Ho(t){if(t instanceof vt)return new vt(t.l,t.a,t.b,t.opacity);if(t instanceof kt)return Uo(t);t instanceof tt||(t=Ns(t));var e=ms(t.r),n=ms(t.g),s=ms(t.b),r=ps((.2225045*e+.7168786*n+.0606169*s)/Fo),o,a;return e===n&&n===s?o=a=r:(o=ps((.4360747*e+.3850649*n+.1430804*s)/jo),a=ps((.0139322*e+.0971045*n+.7141733*s)/Io)),new vt(116*r-16,500*(o-r),200*(r-a),t.opacity)}function Tc(t,e,n,s){return arguments.length===1?Ho(t):new vt(t,e,n,s??1)}function vt(t,e,n,s){this.l=+t,this.a=+e,this.b=+n,this.opacity=+s}ce(vt,Tc,Oe(Rt,{brighter(t){return new vt(this.l+xn*(t??1),this.a,this.b,this.opacity)},darker(t){return new vt(this.l-xn*(t??1),this.a,this.b,this.opacity)},rgb(){var t=(this.l+16)/116,e=isNaN(this.a)?t:t+this.a/500,n=isNaN(this.b)?t:t-this.b/200;return e=jo*hs(e),t=Fo*hs(t),n=Io*hs(n),new tt(ds(3.1338561*e-1.6168667*t-.4906146*n),ds(-.9787684*e+1.9161415*t+.033454*n),ds(.0719453*e-.2289914*t+1.4052427*n),this.opacity)}}));function ps(t){return t>Ac?Math.pow(t,1/3):t/Bo+Wo}function hs(t){return t>ae?t*t*t:Bo*(t-Wo)}function ds(t){return 255*(t<=.0031308?12.92*t:1.055*Math.pow(t,1/2.4)-.055)}function ms(t){return(t/=255)<=.04045?t/12.92:Math.pow((t+.055)/1.055,2.4)}function Ec(t){if(t instanceof kt)return new kt(t.h,t.c,t.l,t.opacity);if(t instanceof vt||(t=Ho(t)),t.a===0&&t.b===0)return new kt(NaN,0<t.l&&t.l<100?0:NaN,t.l,t.opacity);var e=Math.atan2(t.b,t.a)*qo;return new kt(e<0?e+360:e,Math.sqrt(t.a*t.a+t.b*t.b),t.l,t.opacity)}function bs(t,e,n,s){return arguments.length===1?Ec(t):new kt(t,e,n,s??1)}function kt(t,e,n,s){this.h=+t,this.c=+e,this.l=+n,this.opacity=+s}function Uo(t){if(isNaN(t.h))return new vt(t.l,0,0,t.opacity);var e=t.h*Do;return new vt(t.l,Math.cos(e)*t.c,Math.sin(e)*t.c,t.opacity)}ce(kt,bs,Oe(Rt,{brighter(t){return new kt(this.h,this.c,this.l+xn*(t??1),this.opacity)},darker(t){return new kt(this.h,this.c,this.l-xn*(t??1),this.opacity)},rgb(){return Uo(this).rgb()}}));var Ko=-.14861,Cs=1.78277,As=-.29227,kn=-.90649,Te=1.97294,po=Te*kn,ho=Te*Cs,mo=Cs*As-kn*Ko;function Oc(t){if(t instanceof Gt)return new Gt(t.h,t.s,t.l,t.opacity);t instanceof tt||(t=Ns(t));var e=t.r/255,n=t.g/255,s=t.b/255,r=(mo*s+po*e-ho*n)/(mo+po-ho),o=s-r,a=(Te*(n-r)-As*o)/kn,i=Math.sqrt(a*a+o*o)/(Te*r*(1-r)),l=i?Math.atan2(a,o)*qo-120:NaN;return new Gt(l<0?l+360:l,i,r,t.opacity)}function vs(t,e,n,s){return arguments.length===1?Oc(t):new Gt(t,e,n,s??1)}function Gt(t,e,n,s){this.h=+t,this.s=+e,this.l=+n,this.opacity=+s}ce(Gt,vs,Oe(Rt,{brighter(t){return t=t==null?ie:Math.pow(ie,t),new Gt(this.h,this.s,this.l*t,this.opacity)},darker(t){return t=t==null?Jt:Math.pow(Jt,t),new Gt(this.h,this.s,this.l*t,this.opacity)},rgb(){var t=isNaN(this.h)?0:(this.h+120)*Do,e=+this.l,n=isNaN(this.s)?0:this.s*e*(1-e),s=Math.cos(t),r=Math.sin(t);return new tt(255*(e+n*(Ko*s+Cs*r)),255*(e+n*(As*s+kn*r)),255*(e+n*(Te*s)),this.opacity)}}));function Vo(t,e,n,s,r){var o=t*t,a=o*t;return((1-3*t+3*o-a)*e+(4-6*o+3*a)*n+(1+3*t+3*o-3*a)*s+a*r)/6}function Pc(t){var e=t.length-1;return function(n){var s=n<=0?n=0:n>=1?(n=1,e-1):Math.floor(n*e),r=t[s],o=t[s+1],a=s>0?t[s-1]:2*r-o,i=s<e-1?t[s+2]:2*o-r;return Vo((n-s/e)*e,a,r,o,i)}}function Lc(t){var e=t.length;return function(n){var s=Math.floor(((n%=1)<0?++n:n)*e),r=t[(s+e-1)%e],o=t[s%e],a=t[(s+1)%e],i=t[(s+2)%e];return Vo((n-s/e)*e,r,o,a,i)}}var Mn=t=>()=>t;function Xo(t,e){return function(n){return t+n*e}}function zc(t,e,n){return t=Math.pow(t,n),e=Math.pow(e,n)-t,n=1/n,function(s){return Math.pow(t+s*e,n)}}function Ts(t,e){var n=e-t;return n?Xo(t,n>180||n<-180?n-360*Math.round(n/360):n):Mn(isNaN(t)?e:t)}function Rc(t){return(t=+t)==1?ct:function(e,n){return n-e?zc(e,n,t):Mn(isNaN(e)?n:e)}}function ct(t,e){var n=e-t;return n?Xo(t,n):Mn(isNaN(t)?e:t)}var fo=(function t(e){var n=Rc(e);function s(r,o){var a=n((r=$n(r)).r,(o=$n(o)).r),i=n(r.g,o.g),l=n(r.b,o.b),c=ct(r.opacity,o.opacity);return function(u){return r.r=a(u),r.g=i(u),r.b=l(u),r.opacity=c(u),r+""}}return s.gamma=t,s})(1);function Go(t){return function(e){var n=e.length,s=new Array(n),r=new Array(n),o=new Array(n),a,i;for(a=0;a<n;++a)i=$n(e[a]),s[a]=i.r||0,r[a]=i.g||0,o[a]=i.b||0;return s=t(s),r=t(r),o=t(o),i.opacity=1,function(l){return i.r=s(l),i.g=r(l),i.b=o(l),i+""}}}var om=Go(Pc),am=Go(Lc);function Dc(t,e){e||(e=[]);var n=t?Math.min(e.length,t.length):0,s=e.slice(),r;return function(o){for(r=0;r<n;++r)s[r]=t[r]*(1-o)+e[r]*o;return s}}function qc(t){return ArrayBuffer.isView(t)&&!(t instanceof DataView)}function jc(t,e){var n=e?e.length:0,s=t?Math.min(n,t.length):0,r=new Array(s),o=new Array(n),a;for(a=0;a<s;++a)r[a]=Es(t[a],e[a]);for(;a<n;++a)o[a]=e[a];return function(i){for(a=0;a<s;++a)o[a]=r[a](i);return o}}function Fc(t,e){var n=new Date;return t=+t,e=+e,function(s){return n.setTime(t*(1-s)+e*s),n}}function yt(t,e){return t=+t,e=+e,function(n){return t*(1-n)+e*n}}function Ic(t,e){var n={},s={},r;(t===null||typeof t!="object")&&(t={}),(e===null||typeof e!="object")&&(e={});for(r in e)r in t?n[r]=Es(t[r],e[r]):s[r]=e[r];return function(o){for(r in n)s[r]=n[r](o);return s}}var ws=/[-+]?(?:\d+\.?\d*|\.?\d+)(?:[eE][-+]?\d+)?/g,fs=new RegExp(ws.source,"g");function Wc(t){return function(){return t}}function Bc(t){return function(e){return t(e)+""}}function Hc(t,e){var n=ws.lastIndex=fs.lastIndex=0,s,r,o,a=-1,i=[],l=[];for(t=t+"",e=e+"";(s=ws.exec(t))&&(r=fs.exec(e));)(o=r.index)>n&&(o=e.slice(n,o),i[a]?i[a]+=o:i[++a]=o),(s=s[0])===(r=r[0])?i[a]?i[a]+=r:i[++a]=r:(i[++a]=null,l.push({i:a,x:yt(s,r)})),n=fs.lastIndex;return n<e.length&&(o=e.slice(n),i[a]?i[a]+=o:i[++a]=o),i.length<2?l[0]?Bc(l[0].x):Wc(e):(e=l.length,function(c){for(var u=0,p;u<e;++u)i[(p=l[u]).i]=p.x(c);return i.join("")})}function Es(t,e){var n=typeof e,s;return e==null||n==="boolean"?Mn(e):(n==="number"?yt:n==="string"?(s=Ae(e))?(e=s,fo):Hc:e instanceof Ae?fo:e instanceof Date?Fc:qc(e)?Dc:Array.isArray(e)?jc:typeof e.valueOf!="function"&&typeof e.toString!="function"||isNaN(e)?Ic:yt)(t,e)}function Uc(t,e){return t=+t,e=+e,function(n){return Math.round(t*(1-n)+e*n)}}var $o=180/Math.PI,Jo={translateX:0,translateY:0,rotate:0,skewX:0,scaleX:1,scaleY:1};function Yo(t,e,n,s,r,o){var a,i,l;return(a=Math.sqrt(t*t+e*e))&&(t/=a,e/=a),(l=t*n+e*s)&&(n-=t*l,s-=e*l),(i=Math.sqrt(n*n+s*s))&&(n/=i,s/=i,l/=i),t*s<e*n&&(t=-t,e=-e,l=-l,a=-a),{translateX:r,translateY:o,rotate:Math.atan2(e,t)*$o,skewX:Math.atan(l)*$o,scaleX:a,scaleY:i}}var hn;function Kc(t){let e=new(typeof DOMMatrix=="function"?DOMMatrix:WebKitCSSMatrix)(t+"");return e.isIdentity?Jo:Yo(e.a,e.b,e.c,e.d,e.e,e.f)}function Vc(t){return t==null||(hn||(hn=document.createElementNS("http://www.w3.org/2000/svg","g")),hn.setAttribute("transform",t),!(t=hn.transform.baseVal.consolidate()))?Jo:(t=t.matrix,Yo(t.a,t.b,t.c,t.d,t.e,t.f))}function Qo(t,e,n,s){function r(c){return c.length?c.pop()+" ":""}function o(c,u,p,h,m,f){if(c!==p||u!==h){var $=m.push("translate(",null,e,null,n);f.push({i:$-4,x:yt(c,p)},{i:$-2,x:yt(u,h)})}else(p||h)&&m.push("translate("+p+e+h+n)}function a(c,u,p,h){c!==u?(c-u>180?u+=360:u-c>180&&(c+=360),h.push({i:p.push(r(p)+"rotate(",null,s)-2,x:yt(c,u)})):u&&p.push(r(p)+"rotate("+u+s)}function i(c,u,p,h){c!==u?h.push({i:p.push(r(p)+"skewX(",null,s)-2,x:yt(c,u)}):u&&p.push(r(p)+"skewX("+u+s)}function l(c,u,p,h,m,f){if(c!==p||u!==h){var $=m.push(r(m)+"scale(",null,",",null,")");f.push({i:$-4,x:yt(c,p)},{i:$-2,x:yt(u,h)})}else(p!==1||h!==1)&&m.push(r(m)+"scale("+p+","+h+")")}return function(c,u){var p=[],h=[];return c=t(c),u=t(u),o(c.translateX,c.translateY,u.translateX,u.translateY,p,h),a(c.rotate,u.rotate,p,h),i(c.skewX,u.skewX,p,h),l(c.scaleX,c.scaleY,u.scaleX,u.scaleY,p,h),c=u=null,function(m){for(var f=-1,$=h.length,g;++f<$;)p[(g=h[f]).i]=g.x(m);return p.join("")}}}var im=Qo(Kc,"px, ","px)","deg)"),lm=Qo(Vc,", ",")",")"),Xc=1e-12;function go(t){return((t=Math.exp(t))+1/t)/2}function Gc(t){return((t=Math.exp(t))-1/t)/2}function Jc(t){return((t=Math.exp(2*t))-1)/(t+1)}var cm=(function t(e,n,s){function r(o,a){var i=o[0],l=o[1],c=o[2],u=a[0],p=a[1],h=a[2],m=u-i,f=p-l,$=m*m+f*f,g,x;if($<Xc)x=Math.log(h/c)/e,g=function(A){return[i+A*m,l+A*f,c*Math.exp(e*A*x)]};else{var b=Math.sqrt($),v=(h*h-c*c+s*$)/(2*c*n*b),y=(h*h-c*c-s*$)/(2*h*n*b),w=Math.log(Math.sqrt(v*v+1)-v),M=Math.log(Math.sqrt(y*y+1)-y);x=(M-w)/e,g=function(A){var z=A*x,k=go(w),_=c/(n*b)*(k*Jc(e*z+w)-Gc(w));return[i+_*m,l+_*f,c*k/go(e*z+w)]}}return g.duration=Math.abs(x)*1e3*e/Math.SQRT2,g}return r.rho=function(o){var a=Math.max(.001,+o),i=a*a,l=i*i;return t(a,i,l)},r})(Math.SQRT2,2,4);function Zo(t){return function(e,n){var s=t((e=ys(e)).h,(n=ys(n)).h),r=ct(e.s,n.s),o=ct(e.l,n.l),a=ct(e.opacity,n.opacity);return function(i){return e.h=s(i),e.s=r(i),e.l=o(i),e.opacity=a(i),e+""}}}var um=Zo(Ts),pm=Zo(ct);function ta(t){return function(e,n){var s=t((e=bs(e)).h,(n=bs(n)).h),r=ct(e.c,n.c),o=ct(e.l,n.l),a=ct(e.opacity,n.opacity);return function(i){return e.h=s(i),e.c=r(i),e.l=o(i),e.opacity=a(i),e+""}}}var hm=ta(Ts),dm=ta(ct);function ea(t){return(function e(n){n=+n;function s(r,o){var a=t((r=vs(r)).h,(o=vs(o)).h),i=ct(r.s,o.s),l=ct(r.l,o.l),c=ct(r.opacity,o.opacity);return function(u){return r.h=a(u),r.s=i(u),r.l=l(Math.pow(u,n)),r.opacity=c(u),r+""}}return s.gamma=e,s})(1)}var mm=ea(Ts),fm=ea(ct);function Yc(t){return Math.abs(t=Math.round(t))>=1e21?t.toLocaleString("en").replace(/,/g,""):t.toString(10)}function yn(t,e){if(!isFinite(t)||t===0)return null;var n=(t=e?t.toExponential(e-1):t.toExponential()).indexOf("e"),s=t.slice(0,n);return[s.length>1?s[0]+s.slice(2):s,+t.slice(n+1)]}function le(t){return t=yn(Math.abs(t)),t?t[1]:NaN}function Qc(t,e){return function(n,s){for(var r=n.length,o=[],a=0,i=t[0],l=0;r>0&&i>0&&(l+i+1>s&&(i=Math.max(1,s-l)),o.push(n.substring(r-=i,r+i)),!((l+=i+1)>s));)i=t[a=(a+1)%t.length];return o.reverse().join(e)}}function Zc(t){return function(e){return e.replace(/[0-9]/g,function(n){return t[+n]})}}var tu=/^(?:(.)?([<>=^]))?([+\-( ])?([$#])?(0)?(\d+)?(,)?(\.\d+)?(~)?([a-z%])?$/i;function Ee(t){if(!(e=tu.exec(t)))throw new Error("invalid format: "+t);var e;return new Os({fill:e[1],align:e[2],sign:e[3],symbol:e[4],zero:e[5],width:e[6],comma:e[7],precision:e[8]&&e[8].slice(1),trim:e[9],type:e[10]})}Ee.prototype=Os.prototype;function Os(t){this.fill=t.fill===void 0?" ":t.fill+"",this.align=t.align===void 0?">":t.align+"",this.sign=t.sign===void 0?"-":t.sign+"",this.symbol=t.symbol===void 0?"":t.symbol+"",this.zero=!!t.zero,this.width=t.width===void 0?void 0:+t.width,this.comma=!!t.comma,this.precision=t.precision===void 0?void 0:+t.precision,this.trim=!!t.trim,this.type=t.type===void 0?"":t.type+""}Os.prototype.toString=function(){return this.fill+this.align+this.sign+this.symbol+(this.zero?"0":"")+(this.width===void 0?"":Math.max(1,this.width|0))+(this.comma?",":"")+(this.precision===void 0?"":"."+Math.max(0,this.precision|0))+(this.trim?"~":"")+this.type};function eu(t){t:for(var e=t.length,n=1,s=-1,r;n<e;++n)switch(t[n]){case".":s=r=n;break;case"0":s===0&&(s=n),r=n;break;default:if(!+t[n])break t;s>0&&(s=0);break}return s>0?t.slice(0,s)+t.slice(r+1):t}var bn;function nu(t,e){var n=yn(t,e);if(!n)return bn=void 0,t.toPrecision(e);var s=n[0],r=n[1],o=r-(bn=Math.max(-8,Math.min(8,Math.floor(r/3)))*3)+1,a=s.length;return o===a?s:o>a?s+new Array(o-a+1).join("0"):o>0?s.slice(0,o)+"."+s.slice(o):"0."+new Array(1-o).join("0")+yn(t,Math.max(0,e+o-1))[0]}function xo(t,e){var n=yn(t,e);if(!n)return t+"";var s=n[0],r=n[1];return r<0?"0."+new Array(-r).join("0")+s:s.length>r+1?s.slice(0,r+1)+"."+s.slice(r+1):s+new Array(r-s.length+2).join("0")}var yo={"%":(t,e)=>(t*100).toFixed(e),b:t=>Math.round(t).toString(2),c:t=>t+"",d:Yc,e:(t,e)=>t.toExponential(e),f:(t,e)=>t.toFixed(e),g:(t,e)=>t.toPrecision(e),o:t=>Math.round(t).toString(8),p:(t,e)=>xo(t*100,e),r:xo,s:nu,X:t=>Math.round(t).toString(16).toUpperCase(),x:t=>Math.round(t).toString(16)};function bo(t){return t}var vo=Array.prototype.map,wo=["y","z","a","f","p","n","µ","m","","k","M","G","T","P","E","Z","Y"];function su(t){var e=t.grouping===void 0||t.thousands===void 0?bo:Qc(vo.call(t.grouping,Number),t.thousands+""),n=t.currency===void 0?"":t.currency[0]+"",s=t.currency===void 0?"":t.currency[1]+"",r=t.decimal===void 0?".":t.decimal+"",o=t.numerals===void 0?bo:Zc(vo.call(t.numerals,String)),a=t.percent===void 0?"%":t.percent+"",i=t.minus===void 0?"−":t.minus+"",l=t.nan===void 0?"NaN":t.nan+"";function c(p,h){p=Ee(p);var m=p.fill,f=p.align,$=p.sign,g=p.symbol,x=p.zero,b=p.width,v=p.comma,y=p.precision,w=p.trim,M=p.type;M==="n"?(v=!0,M="g"):yo[M]||(y===void 0&&(y=12),w=!0,M="g"),(x||m==="0"&&f==="=")&&(x=!0,m="0",f="=");var A=(h&&h.prefix!==void 0?h.prefix:"")+(g==="$"?n:g==="#"&&/[boxX]/.test(M)?"0"+M.toLowerCase():""),z=(g==="$"?s:/[%p]/.test(M)?a:"")+(h&&h.suffix!==void 0?h.suffix:""),k=yo[M],_=/[defgprs%]/.test(M);y=y===void 0?6:/[gprs]/.test(M)?Math.max(1,Math.min(21,y)):Math.max(0,Math.min(20,y));function T(N){var R=A,B=z,E,C,S;if(M==="c")B=k(N)+B,N="";else{N=+N;var P=N<0||1/N<0;if(N=isNaN(N)?l:k(Math.abs(N),y),w&&(N=eu(N)),P&&+N==0&&$!=="+"&&(P=!1),R=(P?$==="("?$:i:$==="-"||$==="("?"":$)+R,B=(M==="s"&&!isNaN(N)&&bn!==void 0?wo[8+bn/3]:"")+B+(P&&$==="("?")":""),_){for(E=-1,C=N.length;++E<C;)if(S=N.charCodeAt(E),48>S||S>57){B=(S===46?r+N.slice(E+1):N.slice(E))+B,N=N.slice(0,E);break}}}v&&!x&&(N=e(N,1/0));var L=R.length+N.length+B.length,j=L<b?new Array(b-L+1).join(m):"";switch(v&&x&&(N=e(j+N,j.length?b-B.length:1/0),j=""),f){case"<":N=R+N+B+j;break;case"=":N=R+j+N+B;break;case"^":N=j.slice(0,L=j.length>>1)+R+N+B+j.slice(L);break;default:N=j+R+N+B;break}return o(N)}return T.toString=function(){return p+""},T}function u(p,h){var m=Math.max(-8,Math.min(8,Math.floor(le(h)/3)))*3,f=Math.pow(10,-m),$=c((p=Ee(p),p.type="f",p),{suffix:wo[8+m/3]});return function(g){return $(f*g)}}return{format:c,formatPrefix:u}}var dn,Ps,na;ru({thousands:",",grouping:[3],currency:["$",""]});function ru(t){return dn=su(t),Ps=dn.format,na=dn.formatPrefix,dn}function ou(t){return Math.max(0,-le(Math.abs(t)))}function au(t,e){return Math.max(0,Math.max(-8,Math.min(8,Math.floor(le(e)/3)))*3-le(Math.abs(t)))}function iu(t,e){return t=Math.abs(t),e=Math.abs(e)-t,Math.max(0,le(e)-le(t))+1}function sa(t,e){switch(arguments.length){case 0:break;case 1:this.range(t);break;default:this.range(e).domain(t);break}return this}function lu(t){return function(){return t}}function cu(t){return+t}var _o=[0,1];function re(t){return t}function _s(t,e){return(e-=t=+t)?function(n){return(n-t)/e}:lu(isNaN(e)?NaN:.5)}function uu(t,e){var n;return t>e&&(n=t,t=e,e=n),function(s){return Math.max(t,Math.min(e,s))}}function pu(t,e,n){var s=t[0],r=t[1],o=e[0],a=e[1];return r<s?(s=_s(r,s),o=n(a,o)):(s=_s(s,r),o=n(o,a)),function(i){return o(s(i))}}function hu(t,e,n){var s=Math.min(t.length,e.length)-1,r=new Array(s),o=new Array(s),a=-1;for(t[s]<t[0]&&(t=t.slice().reverse(),e=e.slice().reverse());++a<s;)r[a]=_s(t[a],t[a+1]),o[a]=n(e[a],e[a+1]);return function(i){var l=uc(t,i,1,s)-1;return o[l](r[l](i))}}function ra(t,e){return e.domain(t.domain()).range(t.range()).interpolate(t.interpolate()).clamp(t.clamp()).unknown(t.unknown())}function oa(){var t=_o,e=_o,n=Es,s,r,o,a=re,i,l,c;function u(){var h=Math.min(t.length,e.length);return a!==re&&(a=uu(t[0],t[h-1])),i=h>2?hu:pu,l=c=null,p}function p(h){return h==null||isNaN(h=+h)?o:(l||(l=i(t.map(s),e,n)))(s(a(h)))}return p.invert=function(h){return a(r((c||(c=i(e,t.map(s),yt)))(h)))},p.domain=function(h){return arguments.length?(t=Array.from(h,cu),u()):t.slice()},p.range=function(h){return arguments.length?(e=Array.from(h),u()):e.slice()},p.rangeRound=function(h){return e=Array.from(h),n=Uc,u()},p.clamp=function(h){return arguments.length?(a=h?!0:re,u()):a!==re},p.interpolate=function(h){return arguments.length?(n=h,u()):n},p.unknown=function(h){return arguments.length?(o=h,p):o},function(h,m){return s=h,r=m,u()}}function du(){return oa()(re,re)}function mu(t,e,n,s){var r=gc(t,e,n),o;switch(s=Ee(s??",f"),s.type){case"s":{var a=Math.max(Math.abs(t),Math.abs(e));return s.precision==null&&!isNaN(o=au(r,a))&&(s.precision=o),na(s,a)}case"":case"e":case"g":case"p":case"r":{s.precision==null&&!isNaN(o=iu(r,Math.max(Math.abs(t),Math.abs(e))))&&(s.precision=o-(s.type==="e"));break}case"f":case"%":{s.precision==null&&!isNaN(o=ou(r))&&(s.precision=o-(s.type==="%")*2);break}}return Ps(s)}function fu(t){var e=t.domain;return t.ticks=function(n){var s=e();return gs(s[0],s[s.length-1],n??10)},t.tickFormat=function(n,s){var r=e();return mu(r[0],r[r.length-1],n??10,s)},t.nice=function(n){n==null&&(n=10);var s=e(),r=0,o=s.length-1,a=s[r],i=s[o],l,c,u=10;for(i<a&&(c=a,a=i,i=c,c=r,r=o,o=c);u-- >0;){if(c=xs(a,i,n),c===l)return s[r]=a,s[o]=i,e(s);if(c>0)a=Math.floor(a/c)*c,i=Math.ceil(i/c)*c;else if(c<0)a=Math.ceil(a*c)/c,i=Math.floor(i*c)/c;else break;l=c}return t},t}function Pe(){var t=du();return t.copy=function(){return ra(t,Pe())},sa.apply(t,arguments),fu(t)}function $u(t,e){t=t.slice();var n=0,s=t.length-1,r=t[n],o=t[s],a;return o<r&&(a=n,n=s,s=a,a=r,r=o,o=a),t[n]=e.floor(r),t[s]=e.ceil(o),t}function ko(t){return Math.log(t)}function Mo(t){return Math.exp(t)}function gu(t){return-Math.log(-t)}function xu(t){return-Math.exp(-t)}function yu(t){return isFinite(t)?+("1e"+t):t<0?0:t}function bu(t){return t===10?yu:t===Math.E?Math.exp:e=>Math.pow(t,e)}function vu(t){return t===Math.E?Math.log:t===10&&Math.log10||t===2&&Math.log2||(t=Math.log(t),e=>Math.log(e)/t)}function So(t){return(e,n)=>-t(-e,n)}function wu(t){let e=t(ko,Mo),n=e.domain,s=10,r,o;function a(){return r=vu(s),o=bu(s),n()[0]<0?(r=So(r),o=So(o),t(gu,xu)):t(ko,Mo),e}return e.base=function(i){return arguments.length?(s=+i,a()):s},e.domain=function(i){return arguments.length?(n(i),a()):n()},e.ticks=i=>{let l=n(),c=l[0],u=l[l.length-1],p=u<c;p&&([c,u]=[u,c]);let h=r(c),m=r(u),f,$,g=i==null?10:+i,x=[];if(!(s%1)&&m-h<g){if(h=Math.floor(h),m=Math.ceil(m),c>0){for(;h<=m;++h)for(f=1;f<s;++f)if($=h<0?f/o(-h):f*o(h),!($<c)){if($>u)break;x.push($)}}else for(;h<=m;++h)for(f=s-1;f>=1;--f)if($=h>0?f/o(-h):f*o(h),!($<c)){if($>u)break;x.push($)}x.length*2<g&&(x=gs(c,u,g))}else x=gs(h,m,Math.min(m-h,g)).map(o);return p?x.reverse():x},e.tickFormat=(i,l)=>{if(i==null&&(i=10),l==null&&(l=s===10?"s":","),typeof l!="function"&&(!(s%1)&&(l=Ee(l)).precision==null&&(l.trim=!0),l=Ps(l)),i===1/0)return l;let c=Math.max(1,s*i/e.ticks().length);return u=>{let p=u/o(Math.round(r(u)));return p*s<s-.5&&(p*=s),p<=c?l(u):""}},e.nice=()=>n($u(n(),{floor:i=>o(Math.floor(r(i))),ceil:i=>o(Math.ceil(r(i)))})),e}function Ls(){let t=wu(oa()).domain([1,10]);return t.copy=()=>ra(t,Ls()).base(t.base()),sa.apply(t,arguments),t}var Ne=Math.PI,ks=2*Ne,Kt=1e-6,_u=ks-Kt;function aa(t){this._+=t[0];for(let e=1,n=t.length;e<n;++e)this._+=arguments[e]+t[e]}function ku(t){let e=Math.floor(t);if(!(e>=0))throw new Error(`invalid digits: ${t}`);if(e>15)return aa;let n=10**e;return function(s){this._+=s[0];for(let r=1,o=s.length;r<o;++r)this._+=Math.round(arguments[r]*n)/n+s[r]}}function ia(t,e,n,s){return t===n&&e===s}function Mu(t){let e=Math.floor(t);if(!(e<=15))return ia;let n=10**e,s=function(r){return Math.round(r*n)};return function(r,o,a,i){return s(r)===s(a)&&s(o)===s(i)}}var zs=class{constructor(t){this._x0=this._y0=this._x1=this._y1=null,this._="",this._append=t==null?aa:ku(t),this._equal=t==null?ia:Mu(t)}moveTo(t,e){this._append`M${this._x0=this._x1=+t},${this._y0=this._y1=+e}`}closePath(){this._x1!==null&&(this._x1=this._x0,this._y1=this._y0,this._append`Z`)}lineTo(t,e){this._append`L${this._x1=+t},${this._y1=+e}`}quadraticCurveTo(t,e,n,s){this._append`Q${+t},${+e},${this._x1=+n},${this._y1=+s}`}bezierCurveTo(t,e,n,s,r,o){this._append`C${+t},${+e},${+n},${+s},${this._x1=+r},${this._y1=+o}`}arcTo(t,e,n,s,r){if(t=+t,e=+e,n=+n,s=+s,r=+r,r<0)throw new Error(`negative radius: ${r}`);let o=this._x1,a=this._y1,i=n-t,l=s-e,c=o-t,u=a-e,p=c*c+u*u;if(this._x1===null)this._append`M${this._x1=t},${this._y1=e}`;else if(p>Kt)if(!(Math.abs(u*i-l*c)>Kt)||!r)this._append`L${this._x1=t},${this._y1=e}`;else{let h=n-o,m=s-a,f=i*i+l*l,$=h*h+m*m,g=Math.sqrt(f),x=Math.sqrt(p),b=r*Math.tan((Ne-Math.acos((f+p-$)/(2*g*x)))/2),v=b/x,y=b/g;Math.abs(v-1)>Kt&&this._append`L${t+v*c},${e+v*u}`,this._append`A${r},${r},0,0,${+(u*h>c*m)},${this._x1=t+y*i},${this._y1=e+y*l}`}}arc(t,e,n,s,r,o){if(t=+t,e=+e,n=+n,o=!!o,n<0)throw new Error(`negative radius: ${n}`);let a=n*Math.cos(s),i=n*Math.sin(s),l=t+a,c=e+i,u=1^o,p=o?s-r:r-s;if(this._x1===null?this._append`M${l},${c}`:(Math.abs(this._x1-l)>Kt||Math.abs(this._y1-c)>Kt)&&this._append`L${l},${c}`,!!n){if(p<0&&(p=p%ks+ks),p>_u)this._append`A${n},${n},0,1,${u},${t-a},${e-i}A${n},${n},0,1,${u},${this._x1=l},${this._y1=c}`;else if(p>Kt){let h=t+n*Math.cos(r),m=e+n*Math.sin(r);if(p>=Ne&&this._equal(l,c,h,m)){p/=2;let f=s+p;this._append`A${n},${n},0,${+(p>=Ne)},${u},${t+n*Math.cos(f)},${e+n*Math.sin(f)}`}this._append`A${n},${n},0,${+(p>=Ne)},${u},${this._x1=h},${this._y1=m}`}}}rect(t,e,n,s){this._append`M${this._x0=this._x1=+t},${this._y0=this._y1=+e}h${n=+n}v${+s}h${-n}Z`}toString(){return this._}};function Su(){return new zs}Su.prototype=zs.prototype;function rt(t){return function(){return t}}var Nu=Math.cos,Ms=Math.sin,ue=Math.sqrt,No=1e-12,vn=Math.PI,$m=vn/2,la=2*vn;function ca(t){let e=3;return t.digits=function(n){if(!arguments.length)return e;if(n==null)e=null;else{let s=Math.floor(n);if(!(s>=0))throw new RangeError(`invalid digits: ${n}`);e=s}return t},()=>new zs(e)}var gm=Array.prototype.slice;function ua(t){return typeof t=="object"&&"length"in t?t:Array.from(t)}function pa(t){this._context=t}pa.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._point=0},lineEnd:function(){(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2;default:this._context.lineTo(t,e);break}}};function Rs(t){return new pa(t)}function ha(t){return t[0]}function da(t){return t[1]}function Le(t,e){var n=rt(!0),s=null,r=Rs,o=null,a=ca(i);t=typeof t=="function"?t:t===void 0?ha:rt(t),e=typeof e=="function"?e:e===void 0?da:rt(e);function i(l){var c,u=(l=ua(l)).length,p,h=!1,m;for(s==null&&(o=r(m=a())),c=0;c<=u;++c)!(c<u&&n(p=l[c],c,l))===h&&((h=!h)?o.lineStart():o.lineEnd()),h&&o.point(+t(p,c,l),+e(p,c,l));if(m)return o=null,m+""||null}return i.x=function(l){return arguments.length?(t=typeof l=="function"?l:rt(+l),i):t},i.y=function(l){return arguments.length?(e=typeof l=="function"?l:rt(+l),i):e},i.defined=function(l){return arguments.length?(n=typeof l=="function"?l:rt(!!l),i):n},i.curve=function(l){return arguments.length?(r=l,s!=null&&(o=r(s)),i):r},i.context=function(l){return arguments.length?(l==null?s=o=null:o=r(s=l),i):s},i}function ma(t,e,n){var s=null,r=rt(!0),o=null,a=Rs,i=null,l=ca(c);t=typeof t=="function"?t:t===void 0?ha:rt(+t),e=typeof e=="function"?e:rt(e===void 0?0:+e),n=typeof n=="function"?n:n===void 0?da:rt(+n);function c(p){var h,m,f,$=(p=ua(p)).length,g,x=!1,b,v=new Array($),y=new Array($);for(o==null&&(i=a(b=l())),h=0;h<=$;++h){if(!(h<$&&r(g=p[h],h,p))===x)if(x=!x)m=h,i.areaStart(),i.lineStart();else{for(i.lineEnd(),i.lineStart(),f=h-1;f>=m;--f)i.point(v[f],y[f]);i.lineEnd(),i.areaEnd()}x&&(v[h]=+t(g,h,p),y[h]=+e(g,h,p),i.point(s?+s(g,h,p):v[h],n?+n(g,h,p):y[h]))}if(b)return i=null,b+""||null}function u(){return Le().defined(r).curve(a).context(o)}return c.x=function(p){return arguments.length?(t=typeof p=="function"?p:rt(+p),s=null,c):t},c.x0=function(p){return arguments.length?(t=typeof p=="function"?p:rt(+p),c):t},c.x1=function(p){return arguments.length?(s=p==null?null:typeof p=="function"?p:rt(+p),c):s},c.y=function(p){return arguments.length?(e=typeof p=="function"?p:rt(+p),n=null,c):e},c.y0=function(p){return arguments.length?(e=typeof p=="function"?p:rt(+p),c):e},c.y1=function(p){return arguments.length?(n=p==null?null:typeof p=="function"?p:rt(+p),c):n},c.lineX0=c.lineY0=function(){return u().x(t).y(e)},c.lineY1=function(){return u().x(t).y(n)},c.lineX1=function(){return u().x(s).y(e)},c.defined=function(p){return arguments.length?(r=typeof p=="function"?p:rt(!!p),c):r},c.curve=function(p){return arguments.length?(a=p,o!=null&&(i=a(o)),c):a},c.context=function(p){return arguments.length?(p==null?o=i=null:i=a(o=p),c):o},c}var xm=Cu(Rs);function fa(t){this._curve=t}fa.prototype={areaStart:function(){this._curve.areaStart()},areaEnd:function(){this._curve.areaEnd()},lineStart:function(){this._curve.lineStart()},lineEnd:function(){this._curve.lineEnd()},point:function(t,e){this._curve.point(e*Math.sin(t),e*-Math.cos(t))}};function Cu(t){function e(n){return new fa(t(n))}return e._curve=t,e}var ym=ue(3),Au=ue(1/3),bm=Au*2,$a=Ms(vn/10)/Ms(7*vn/10),vm=Ms(la/10)*$a,wm=-Nu(la/10)*$a,_m=ue(3),km=ue(3),Mm=ue(3)/2,Tu=1/ue(12),Sm=(Tu/2+1)*3;function zt(){}function wn(t,e,n){t._context.bezierCurveTo((2*t._x0+t._x1)/3,(2*t._y0+t._y1)/3,(t._x0+2*t._x1)/3,(t._y0+2*t._y1)/3,(t._x0+4*t._x1+e)/6,(t._y0+4*t._y1+n)/6)}function Ds(t){this._context=t}Ds.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._y0=this._y1=NaN,this._point=0},lineEnd:function(){switch(this._point){case 3:wn(this,this._x1,this._y1);case 2:this._context.lineTo(this._x1,this._y1);break}(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2;break;case 2:this._point=3,this._context.lineTo((5*this._x0+this._x1)/6,(5*this._y0+this._y1)/6);default:wn(this,t,e);break}this._x0=this._x1,this._x1=t,this._y0=this._y1,this._y1=e}};function Eu(t){this._context=t}Eu.prototype={areaStart:zt,areaEnd:zt,lineStart:function(){this._x0=this._x1=this._x2=this._x3=this._x4=this._y0=this._y1=this._y2=this._y3=this._y4=NaN,this._point=0},lineEnd:function(){switch(this._point){case 1:{this._context.moveTo(this._x2,this._y2),this._context.closePath();break}case 2:{this._context.moveTo((this._x2+2*this._x3)/3,(this._y2+2*this._y3)/3),this._context.lineTo((this._x3+2*this._x2)/3,(this._y3+2*this._y2)/3),this._context.closePath();break}case 3:{this.point(this._x2,this._y2),this.point(this._x3,this._y3),this.point(this._x4,this._y4);break}}},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._x2=t,this._y2=e;break;case 1:this._point=2,this._x3=t,this._y3=e;break;case 2:this._point=3,this._x4=t,this._y4=e,this._context.moveTo((this._x0+4*this._x1+t)/6,(this._y0+4*this._y1+e)/6);break;default:wn(this,t,e);break}this._x0=this._x1,this._x1=t,this._y0=this._y1,this._y1=e}};function Ou(t){this._context=t}Ou.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._y0=this._y1=NaN,this._point=0},lineEnd:function(){(this._line||this._line!==0&&this._point===3)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1;break;case 1:this._point=2;break;case 2:this._point=3;var n=(this._x0+4*this._x1+t)/6,s=(this._y0+4*this._y1+e)/6;this._line?this._context.lineTo(n,s):this._context.moveTo(n,s);break;case 3:this._point=4;default:wn(this,t,e);break}this._x0=this._x1,this._x1=t,this._y0=this._y1,this._y1=e}};function ga(t,e){this._basis=new Ds(t),this._beta=e}ga.prototype={lineStart:function(){this._x=[],this._y=[],this._basis.lineStart()},lineEnd:function(){var t=this._x,e=this._y,n=t.length-1;if(n>0)for(var s=t[0],r=e[0],o=t[n]-s,a=e[n]-r,i=-1,l;++i<=n;)l=i/n,this._basis.point(this._beta*t[i]+(1-this._beta)*(s+l*o),this._beta*e[i]+(1-this._beta)*(r+l*a));this._x=this._y=null,this._basis.lineEnd()},point:function(t,e){this._x.push(+t),this._y.push(+e)}};var Nm=(function t(e){function n(s){return e===1?new Ds(s):new ga(s,e)}return n.beta=function(s){return t(+s)},n})(.85);function _n(t,e,n){t._context.bezierCurveTo(t._x1+t._k*(t._x2-t._x0),t._y1+t._k*(t._y2-t._y0),t._x2+t._k*(t._x1-e),t._y2+t._k*(t._y1-n),t._x2,t._y2)}function qs(t,e){this._context=t,this._k=(1-e)/6}qs.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._x2=this._y0=this._y1=this._y2=NaN,this._point=0},lineEnd:function(){switch(this._point){case 2:this._context.lineTo(this._x2,this._y2);break;case 3:_n(this,this._x1,this._y1);break}(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2,this._x1=t,this._y1=e;break;case 2:this._point=3;default:_n(this,t,e);break}this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var Cm=(function t(e){function n(s){return new qs(s,e)}return n.tension=function(s){return t(+s)},n})(0);function js(t,e){this._context=t,this._k=(1-e)/6}js.prototype={areaStart:zt,areaEnd:zt,lineStart:function(){this._x0=this._x1=this._x2=this._x3=this._x4=this._x5=this._y0=this._y1=this._y2=this._y3=this._y4=this._y5=NaN,this._point=0},lineEnd:function(){switch(this._point){case 1:{this._context.moveTo(this._x3,this._y3),this._context.closePath();break}case 2:{this._context.lineTo(this._x3,this._y3),this._context.closePath();break}case 3:{this.point(this._x3,this._y3),this.point(this._x4,this._y4),this.point(this._x5,this._y5);break}}},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._x3=t,this._y3=e;break;case 1:this._point=2,this._context.moveTo(this._x4=t,this._y4=e);break;case 2:this._point=3,this._x5=t,this._y5=e;break;default:_n(this,t,e);break}this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var Am=(function t(e){function n(s){return new js(s,e)}return n.tension=function(s){return t(+s)},n})(0);function Fs(t,e){this._context=t,this._k=(1-e)/6}Fs.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._x2=this._y0=this._y1=this._y2=NaN,this._point=0},lineEnd:function(){(this._line||this._line!==0&&this._point===3)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1;break;case 1:this._point=2;break;case 2:this._point=3,this._line?this._context.lineTo(this._x2,this._y2):this._context.moveTo(this._x2,this._y2);break;case 3:this._point=4;default:_n(this,t,e);break}this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var Tm=(function t(e){function n(s){return new Fs(s,e)}return n.tension=function(s){return t(+s)},n})(0);function Is(t,e,n){var s=t._x1,r=t._y1,o=t._x2,a=t._y2;if(t._l01_a>No){var i=2*t._l01_2a+3*t._l01_a*t._l12_a+t._l12_2a,l=3*t._l01_a*(t._l01_a+t._l12_a);s=(s*i-t._x0*t._l12_2a+t._x2*t._l01_2a)/l,r=(r*i-t._y0*t._l12_2a+t._y2*t._l01_2a)/l}if(t._l23_a>No){var c=2*t._l23_2a+3*t._l23_a*t._l12_a+t._l12_2a,u=3*t._l23_a*(t._l23_a+t._l12_a);o=(o*c+t._x1*t._l23_2a-e*t._l12_2a)/u,a=(a*c+t._y1*t._l23_2a-n*t._l12_2a)/u}t._context.bezierCurveTo(s,r,o,a,t._x2,t._y2)}function xa(t,e){this._context=t,this._alpha=e}xa.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._x2=this._y0=this._y1=this._y2=NaN,this._l01_a=this._l12_a=this._l23_a=this._l01_2a=this._l12_2a=this._l23_2a=this._point=0},lineEnd:function(){switch(this._point){case 2:this._context.lineTo(this._x2,this._y2);break;case 3:this.point(this._x2,this._y2);break}(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){if(t=+t,e=+e,this._point){var n=this._x2-t,s=this._y2-e;this._l23_a=Math.sqrt(this._l23_2a=Math.pow(n*n+s*s,this._alpha))}switch(this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2;break;case 2:this._point=3;default:Is(this,t,e);break}this._l01_a=this._l12_a,this._l12_a=this._l23_a,this._l01_2a=this._l12_2a,this._l12_2a=this._l23_2a,this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var Em=(function t(e){function n(s){return e?new xa(s,e):new qs(s,0)}return n.alpha=function(s){return t(+s)},n})(.5);function ya(t,e){this._context=t,this._alpha=e}ya.prototype={areaStart:zt,areaEnd:zt,lineStart:function(){this._x0=this._x1=this._x2=this._x3=this._x4=this._x5=this._y0=this._y1=this._y2=this._y3=this._y4=this._y5=NaN,this._l01_a=this._l12_a=this._l23_a=this._l01_2a=this._l12_2a=this._l23_2a=this._point=0},lineEnd:function(){switch(this._point){case 1:{this._context.moveTo(this._x3,this._y3),this._context.closePath();break}case 2:{this._context.lineTo(this._x3,this._y3),this._context.closePath();break}case 3:{this.point(this._x3,this._y3),this.point(this._x4,this._y4),this.point(this._x5,this._y5);break}}},point:function(t,e){if(t=+t,e=+e,this._point){var n=this._x2-t,s=this._y2-e;this._l23_a=Math.sqrt(this._l23_2a=Math.pow(n*n+s*s,this._alpha))}switch(this._point){case 0:this._point=1,this._x3=t,this._y3=e;break;case 1:this._point=2,this._context.moveTo(this._x4=t,this._y4=e);break;case 2:this._point=3,this._x5=t,this._y5=e;break;default:Is(this,t,e);break}this._l01_a=this._l12_a,this._l12_a=this._l23_a,this._l01_2a=this._l12_2a,this._l12_2a=this._l23_2a,this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var Om=(function t(e){function n(s){return e?new ya(s,e):new js(s,0)}return n.alpha=function(s){return t(+s)},n})(.5);function ba(t,e){this._context=t,this._alpha=e}ba.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._x2=this._y0=this._y1=this._y2=NaN,this._l01_a=this._l12_a=this._l23_a=this._l01_2a=this._l12_2a=this._l23_2a=this._point=0},lineEnd:function(){(this._line||this._line!==0&&this._point===3)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){if(t=+t,e=+e,this._point){var n=this._x2-t,s=this._y2-e;this._l23_a=Math.sqrt(this._l23_2a=Math.pow(n*n+s*s,this._alpha))}switch(this._point){case 0:this._point=1;break;case 1:this._point=2;break;case 2:this._point=3,this._line?this._context.lineTo(this._x2,this._y2):this._context.moveTo(this._x2,this._y2);break;case 3:this._point=4;default:Is(this,t,e);break}this._l01_a=this._l12_a,this._l12_a=this._l23_a,this._l01_2a=this._l12_2a,this._l12_2a=this._l23_2a,this._x0=this._x1,this._x1=this._x2,this._x2=t,this._y0=this._y1,this._y1=this._y2,this._y2=e}};var Pm=(function t(e){function n(s){return e?new ba(s,e):new Fs(s,0)}return n.alpha=function(s){return t(+s)},n})(.5);function Pu(t){this._context=t}Pu.prototype={areaStart:zt,areaEnd:zt,lineStart:function(){this._point=0},lineEnd:function(){this._point&&this._context.closePath()},point:function(t,e){t=+t,e=+e,this._point?this._context.lineTo(t,e):(this._point=1,this._context.moveTo(t,e))}};function Co(t){return t<0?-1:1}function Ao(t,e,n){var s=t._x1-t._x0,r=e-t._x1,o=(t._y1-t._y0)/(s||r<0&&-0),a=(n-t._y1)/(r||s<0&&-0),i=(o*r+a*s)/(s+r);return(Co(o)+Co(a))*Math.min(Math.abs(o),Math.abs(a),.5*Math.abs(i))||0}function To(t,e){var n=t._x1-t._x0;return n?(3*(t._y1-t._y0)/n-e)/2:e}function $s(t,e,n){var s=t._x0,r=t._y0,o=t._x1,a=t._y1,i=(o-s)/3;t._context.bezierCurveTo(s+i,r+i*e,o-i,a-i*n,o,a)}function Ss(t){this._context=t}Ss.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x0=this._x1=this._y0=this._y1=this._t0=NaN,this._point=0},lineEnd:function(){switch(this._point){case 2:this._context.lineTo(this._x1,this._y1);break;case 3:$s(this,this._t0,To(this,this._t0));break}(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line=1-this._line},point:function(t,e){var n=NaN;if(t=+t,e=+e,!(t===this._x1&&e===this._y1)){switch(this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2;break;case 2:this._point=3,$s(this,To(this,n=Ao(this,t,e)),n);break;default:$s(this,this._t0,n=Ao(this,t,e));break}this._x0=this._x1,this._x1=t,this._y0=this._y1,this._y1=e,this._t0=n}}};function Lu(t){this._context=new va(t)}(Lu.prototype=Object.create(Ss.prototype)).point=function(t,e){Ss.prototype.point.call(this,e,t)};function va(t){this._context=t}va.prototype={moveTo:function(t,e){this._context.moveTo(e,t)},closePath:function(){this._context.closePath()},lineTo:function(t,e){this._context.lineTo(e,t)},bezierCurveTo:function(t,e,n,s,r,o){this._context.bezierCurveTo(e,t,s,n,o,r)}};function zu(t){this._context=t}zu.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x=[],this._y=[]},lineEnd:function(){var t=this._x,e=this._y,n=t.length;if(n)if(this._line?this._context.lineTo(t[0],e[0]):this._context.moveTo(t[0],e[0]),n===2)this._context.lineTo(t[1],e[1]);else for(var s=Eo(t),r=Eo(e),o=0,a=1;a<n;++o,++a)this._context.bezierCurveTo(s[0][o],r[0][o],s[1][o],r[1][o],t[a],e[a]);(this._line||this._line!==0&&n===1)&&this._context.closePath(),this._line=1-this._line,this._x=this._y=null},point:function(t,e){this._x.push(+t),this._y.push(+e)}};function Eo(t){var e,n=t.length-1,s,r=new Array(n),o=new Array(n),a=new Array(n);for(r[0]=0,o[0]=2,a[0]=t[0]+2*t[1],e=1;e<n-1;++e)r[e]=1,o[e]=4,a[e]=4*t[e]+2*t[e+1];for(r[n-1]=2,o[n-1]=7,a[n-1]=8*t[n-1]+t[n],e=1;e<n;++e)s=r[e]/o[e-1],o[e]-=s,a[e]-=s*a[e-1];for(r[n-1]=a[n-1]/o[n-1],e=n-2;e>=0;--e)r[e]=(a[e]-r[e+1])/o[e];for(o[n-1]=(t[n]+r[n-1])/2,e=0;e<n-1;++e)o[e]=2*t[e+1]-r[e+1];return[r,o]}function Ru(t,e){this._context=t,this._t=e}Ru.prototype={areaStart:function(){this._line=0},areaEnd:function(){this._line=NaN},lineStart:function(){this._x=this._y=NaN,this._point=0},lineEnd:function(){0<this._t&&this._t<1&&this._point===2&&this._context.lineTo(this._x,this._y),(this._line||this._line!==0&&this._point===1)&&this._context.closePath(),this._line>=0&&(this._t=1-this._t,this._line=1-this._line)},point:function(t,e){switch(t=+t,e=+e,this._point){case 0:this._point=1,this._line?this._context.lineTo(t,e):this._context.moveTo(t,e);break;case 1:this._point=2;default:{if(this._t<=0)this._context.lineTo(this._x,e),this._context.lineTo(t,e);else{var n=this._x*(1-this._t)+t*this._t;this._context.lineTo(n,this._y),this._context.lineTo(n,e)}break}}this._x=t,this._y=e}};function O(t,e=3){if(t==null||Number.isNaN(t))return"–";if(t===0)return"0";let n=Math.abs(t);return n===1/0?t>0?"∞":"−∞":(n<10**-e||n>=1e7?t.toExponential(e-1).replace("e+","e"):Du(t,e)).replace("-","−").replace("e-","e−")}function Du(t,e){let n=Math.abs(t);return Number.isInteger(t)||n>=10**e?Math.round(t).toLocaleString("en"):t.toFixed(Math.max(0,e-Math.max(0,Math.floor(Math.log10(n)))))}function Sn(t){let e=Math.abs(t);for(let[n,s]of[[1e15,"P"],[1e12,"T"],[1e9,"G"],[1e6,"M"],[1e3,"K"]])if(e>=n)return`${(t/n).toPrecision(3)} ${s}`;return O(t)}function wa(t){let e=Object.keys(t),n=[];if(e.length===1&&t[e[0]].shape.length===2){let{shape:s,data:r,rows:o,columns:a}=t[e[0]],i=a??Array.from({length:s[1]},(l,c)=>c);n.push([e[0],...i]);for(let l=0;l<s[0];l++)n.push([o?.[l]??l,...Array.from({length:s[1]},(c,u)=>r[l*s[1]+u])])}else{let s=Math.max(0,...e.map(r=>t[r].shape.length));n.push(["array",...Array.from({length:s},(r,o)=>`index ${o}`),"value"]);for(let r of e){let{shape:o,data:a}=t[r];for(let i=0;i<a.length;i++){let l=new Array(s).fill("");for(let c=o.length-1,u=i;c>=0;c--)l[c]=u%o[c],u=Math.floor(u/o[c]);n.push([r,...l,a[i]])}}}return n.map(s=>s.map(qu).join(",")).join(`\r
`)+`\r
`}function qu(t){if(t==null)return"";if(typeof t=="number")return String(t);let e=/^[=+\-@\t\r]/.test(t)?`'${t}`:String(t);return/[",\r\n]/.test(e)?`"${e.replaceAll('"','""')}"`:e}var V={left:66,right:22,top:10,bottom:42};function St({series:t,label:e,xLabel:n,yLabel:s,logX:r,logY:o,marks:a=[],height:i=260,xMin:l,yMin:c,says:u=O}){let[p,h]=Q(),m=X(),[f,$]=q(null),g=t.map(_=>({..._,points:_.x.map((T,N)=>[T,_.y[N]]).filter(([T,N])=>Mt(T,r)&&Mt(N,o))})),x=g.flatMap(_=>_.points.map(([T])=>T)).concat(a.map(_=>_.x).filter(_=>Mt(_,r))),b=g.flatMap(_=>[..._.points.map(([,T])=>T),..._.low??[],..._.high??[]]).filter(_=>Mt(_,o)),v=Ws(x,r,[V.left,Math.max(h-V.right,V.left+10)],l),y=Ws(b,o,[i-V.bottom,V.top],c),w=Le().defined(([_,T])=>Mt(_,r)&&Mt(T,o)).x(([_])=>v(_)).y(([,_])=>y(_)),M=[...new Set(x)].sort((_,T)=>_-T),A=_=>{let T=_.clientX-_.currentTarget.getBoundingClientRect().left;M.length&&$(M.reduce((N,R)=>Math.abs(v(R)-T)<Math.abs(v(N)-T)?R:N))},z=_=>{let T={ArrowRight:1,ArrowLeft:-1}[_.key];!T||!M.length||(_.preventDefault(),$(M[Math.max(0,Math.min(M.length-1,(f===null?-1:M.indexOf(f))+T))]))},k=f===null?[]:g.map((_,T)=>({name:_.name,i:T,y:_.points.find(([N])=>N===f)?.[1]})).filter(_=>_.y!==void 0);return d`<figure class="chart" ref=${p}>
    ${t.length>1&&d`<ul class="keys">${t.map((_,T)=>d`<li><svg width="26" height="8" aria-hidden="true"><line x1="0" x2="26" y1="4" y2="4" class=${_.class??xt[T%6]} stroke-dasharray=${Me[T%6]} /></svg>${_.name}</li>`)}</ul>`}
    ${h>0&&d`<svg width=${h} height=${i} tabindex="0" role="img" aria-label=${`${e}. ${ju(g,n,u)}`} aria-describedby=${m}
      onPointerMove=${A} onPointerLeave=${()=>$(null)} onKeyDown=${z} onBlur=${()=>$(null)}>
      <${ka} x=${v} y=${y} logX=${r} logY=${o} xLabel=${n} yLabel=${s} width=${h} height=${i} says=${u} />
      ${a.map(_=>Mt(_.x,r)&&d`<g class="mark"><line x1=${v(_.x)} x2=${v(_.x)} y1=${V.top} y2=${i-V.bottom} />
        <text x=${v(_.x)+4} y=${V.top+10}>${_.name}</text></g>`)}
      ${g.map((_,T)=>d`<g>
        ${_.low&&d`<path class=${`band ${_.class??xt[T%6]}`} d=${ma().x((N,R)=>v(_.x[R])).y0((N,R)=>y(_.low[R])).y1((N,R)=>y(_.high[R]))(_.x)} />`}
        <path class=${`curve ${_.class??xt[T%6]}`} stroke-dasharray=${Me[T%6]} d=${w(_.points)} />
        ${_.points.length<2&&_.points.map(([N,R])=>d`<circle class=${`dot ${_.class??xt[T%6]}`} cx=${v(N)} cy=${y(R)} r="3" />`)}
      </g>`)}
      ${f!==null&&d`<line class="reading" x1=${v(f)} x2=${v(f)} y1=${V.top} y2=${i-V.bottom} />
        ${k.map(_=>d`<circle class=${`dot ${g[_.i].class??xt[_.i%6]}`} cx=${v(f)} cy=${y(_.y)} r="3.5" />`)}`}
    </svg>`}
    <figcaption id=${m} class="reading" aria-live="polite">${f===null?d`<span class="hint">point, or use the arrow keys, to read numbers</span>`:d`${n} ${u(f)}: ${k.map((_,T)=>d`${T?" · ":""}${_.name} <b>${u(_.y)}</b>`)}`}</figcaption>
  </figure>`}var Mt=(t,e)=>Number.isFinite(t)&&(!e||t>0);function Ws(t,e,n,s){let[r,o]=t.length?[Math.min(...t),Math.max(...t)]:[e?1:0,e?10:1];s!==void 0&&(r=Math.min(r,s)),r===o&&([r,o]=e?[r/2,o*2]:[r-.5,o+.5]);let a=(e?Ls():Pe()).domain([r,o]).range(n);return e&&o/r<1e3?a:a.nice()}function ju(t,e,n){return t.filter(s=>s.points.length).map(s=>`${s.name}: ${n(s.points[0][1])} at ${e} ${n(s.points[0][0])}, ${n(s.points.at(-1)[1])} at ${n(s.points.at(-1)[0])}`).join("; ")}function ka({x:t,y:e,logX:n,logY:s,xLabel:r,yLabel:o,width:a,height:i,says:l}){let c=(p,h,m)=>{let f=p.ticks(m);return h?f.filter($=>f.length<=m+2||Number.isInteger(Math.round(Math.log10($)*1e9)/1e9)):f},u=i-V.bottom;return d`<g class="axes">
    ${c(e,s,5).map(p=>d`<g><line x1=${V.left} x2=${a-V.right} y1=${e(p)} y2=${e(p)} /><text x=${V.left-7} y=${e(p)} dy="0.35em" text-anchor="end">${_a(p,l)}</text></g>`)}
    ${t&&c(t,n,Math.max(2,Math.floor(a/90))).map(p=>d`<g><line x1=${t(p)} x2=${t(p)} y1=${u} y2=${u+4} /><text x=${t(p)} y=${u+17} text-anchor="middle">${_a(p,l)}</text></g>`)}
    <text class="name" x=${(V.left+a-V.right)/2} y=${i-6} text-anchor="middle">${r}</text>
    <text class="name" transform=${`translate(13,${(V.top+u)/2}) rotate(-90)`} text-anchor="middle">${o}</text>
  </g>`}var _a=(t,e)=>Math.abs(t)>=1e4?Sn(t):e(t,3).replace(/(\.\d*?)0+$/,"$1").replace(/\.$/,"");function Ma({names:t,groups:e,label:n,yLabel:s,logY:r,height:o=240,says:a=O}){let[i,l]=Q(),c=Object.entries(e),u=c.flatMap(([,$])=>$).filter($=>Mt($,r)),p=Ws(r?u:[...u,0],r,[o-V.bottom,V.top]),h=(l-V.left-V.right)/Math.max(t.length,1),m=Math.min(38,h*.72/c.length),f=r?o-V.bottom:p(0);return d`<figure class="chart" ref=${i}>
    ${c.length>1&&d`<ul class="keys">${c.map(([$],g)=>d`<li><svg width="12" height="12" aria-hidden="true"><rect width="12" height="12" rx="2" class=${xt[g%6]} /></svg>${$}</li>`)}</ul>`}
    ${l>0&&d`<svg width=${l} height=${o} role="img" aria-label=${`${n}. ${c.map(([$,g])=>t.map((x,b)=>`${x} ${$} ${a(g[b])}`).join(", ")).join("; ")}`}>
      <${ka} x=${null} y=${p} logY=${r} xLabel="" yLabel=${s} width=${l} height=${o} says=${a} />
      ${t.map(($,g)=>d`<g>
        ${c.map(([x,b],v)=>Mt(b[g],r)&&d`<rect class=${xt[v%6]} rx="2" x=${V.left+(g+.5)*h-c.length*m/2+v*m} width=${m*.92}
          y=${Math.min(p(b[g]),f)} height=${Math.abs(f-p(b[g]))}><title>${`${$}, ${x}: ${a(b[g])}`}</title></rect>`)}
        <text class="tick" x=${V.left+(g+.5)*h} y=${o-V.bottom+17} text-anchor="middle">${$.length>h/6?`${$.slice(0,Math.max(2,Math.floor(h/6)-1))}…`:$}</text>
      </g>`)}
    </svg>`}
  </figure>`}function Nt({off:t,onClick:e,children:n,...s}){return d`<button ...${s} aria-disabled=${t?"true":null} onClick=${t?null:e}>${n}</button>`}function et({label:t,value:e,min:n,max:s,step:r,onChange:o,says:a=O,disabled:i}){let l=X();return d`<div class="control">
    <label for=${l}>${t}</label>
    <input id=${l} type="range" min=${n} max=${s} step=${r} value=${e} disabled=${i}
      aria-valuetext=${a(e)} onInput=${c=>o(Number(c.target.value))} />
    <output for=${l}>${a(e)}</output>
  </div>`}function nt({label:t,value:e,options:n,onChange:s}){let r=X();return d`<fieldset class="choice"><legend>${t}</legend><div>
    ${n.map(([o,a])=>d`<label><input type="radio" name=${r} value=${o} checked=${o===e}
        onChange=${()=>s(o)} /><span>${a}</span></label>`)}
  </div></fieldset>`}function ot({label:t,value:e,options:n,onChange:s,hidden:r}){let o=X(),a=([i,l])=>Array.isArray(l)?d`<optgroup label=${i}>${l.map(a)}</optgroup>`:d`<option value=${i} selected=${String(i)===String(e)}>${l}</option>`;return d`<div class="control">
    <label for=${o} class=${r?"unseen":""}>${t}</label>
    <select id=${o} onChange=${i=>s(i.target.value)}>${n.map(a)}</select>
  </div>`}function mt({label:t,value:e,onChange:n}){return d`<label class="toggle"><input type="checkbox" checked=${e}
    onChange=${s=>n(s.target.checked)} /><span>${t}</span></label>`}function pt({label:t,value:e,onChange:n,live:s,lines:r,placeholder:o,spellcheck:a=!1,max:i}){let l=X(),[c,u]=q(null),p=()=>(c!==null&&c!==e&&n(c),u(null)),h={id:l,placeholder:o,spellcheck:a,maxLength:i,value:c??e,onInput:m=>s?n(m.target.value):u(m.target.value),onBlur:p,onKeyDown:m=>m.key==="Enter"&&(!r||m.ctrlKey||m.metaKey)&&p()};return d`<div class="control text"><label for=${l}>${t}</label>
    ${r?d`<textarea rows=${r} ...${h}></textarea>`:d`<input type="text" ...${h} />`}</div>`}function pe({label:t,value:e,step:n=.1,onChange:s,disabled:r}){let[o,a]=q(null),i=D(null),l=D(null),c=p=>Number(p.toFixed(6)),u=p=>{a(null);let h=Number(String(p).replace("−","-").replace(",","."));if(String(p).trim()!==""&&Number.isFinite(h)&&Math.abs(h)<=1e6)return s(c(h));l.current.setCustomValidity("a number from −1,000,000 to 1,000,000"),l.current.reportValidity(),setTimeout(()=>l.current?.setCustomValidity(""),2500)};return d`<input ref=${l} class="cell" type="text" inputmode="decimal" aria-label=${t} disabled=${r}
    value=${o??String(e).replace("-","−")}
    onInput=${p=>a(p.target.value)}
    onBlur=${p=>o!==null&&u(p.target.value)}
    onKeyDown=${p=>{let h={ArrowUp:1,ArrowDown:-1,PageUp:10,PageDown:-10}[p.key];p.key==="Enter"?u(p.target.value):p.key==="Escape"?a(null):h&&(p.preventDefault(),s(c(e+h*n)))}}
    onPointerDown=${p=>i.current={x:p.clientX,from:e,id:p.pointerId}}
    onPointerMove=${p=>{let h=i.current;!h||Math.abs(p.clientX-h.x)<4&&!h.moving||(h.moving=!0,p.target.setPointerCapture(h.id),s(c(h.from+Math.round((p.clientX-h.x)/4)*n)))}}
    onPointerUp=${()=>i.current=null}
    onPointerCancel=${()=>i.current=null} />`}function he(t,e,n,s=n){let r={ArrowRight:1,ArrowLeft:-1,ArrowDown:s,ArrowUp:-s,Home:-e,End:n-1-e}[t.key];if(r===void 0)return null;t.preventDefault();let o=e+r;return o<0||o>=n?e:o}var Fu=".control, .choice, .toggle, progress, select, textarea, input:not(.cell), button:not(.quiet, th button, :has(> svg))",Iu=`[data-unpictured], script, style, noscript, template, title, ${Fu}`;function Hs(t,e=""){let n=t.getBoundingClientRect(),[s,r]=[Math.ceil(n.width)+32,Math.ceil(n.height)+32],o={clips:0,defs:""},a=ht(Wu(t))??{fill:"#ffffff"},i=Z("g",{transform:`translate(${Re(16-n.left)},${Re(16-n.top)})`},Ca(t,o));return`<?xml version="1.0" encoding="UTF-8"?>
${Z("svg",{xmlns:"http://www.w3.org/2000/svg","xmlns:xlink":"http://www.w3.org/1999/xlink",width:s,height:r,viewBox:`0 0 ${s} ${r}`},`${Z("title",{},De(e)||" ")}${o.defs&&Z("defs",{},o.defs)}${Z("rect",{width:s,height:r,...a})}${i}`)}
`}async function Na(t,e=2){let n=URL.createObjectURL(new Blob([t],{type:"image/svg+xml"}));try{let s=new Image;s.src=n,await s.decode();let{naturalWidth:r,naturalHeight:o}=s,a=Math.min(e,16e3/Math.max(r,o),Math.sqrt(2e8/(r*o))),i=document.createElement("canvas");[i.width,i.height]=[Math.round(r*a),Math.round(o*a)],i.getContext("2d").drawImage(s,0,0,i.width,i.height);let l=await new Promise(c=>i.toBlob(c,"image/png"));if(!l)throw new Error("the figure is too large for a PNG; save it as SVG");return l}finally{URL.revokeObjectURL(n)}}function Wu(t){for(let e=t;e;e=e.parentElement){let{backgroundColor:n}=getComputedStyle(e);if(ht(n)?.["fill-opacity"]===null)return n}return"rgb(255, 255, 255)"}function Ca(t,e){if(t.matches(Iu))return"";let n=getComputedStyle(t),s=Number(n.opacity),r=/inset\((50|100)%/.test(n.clipPath);if(n.display==="none"||s===0||r)return"";let o=t.getBoundingClientRect(),a=n.visibility==="visible"&&n.display!=="contents",i=n.display==="inline"?[...t.getClientRects()]:[o],l=a?i.map(p=>Hu(t,n,p)).join(""):"",c={canvas:Gu,svg:Qu,img:Ju,input:Ku}[t.localName],u=l;if(c)u+=a?c(t,n,o):"";else{t.localName==="mfrac"&&t.children.length===2&&(u+=Vu(t,n,o)),t.localName==="msqrt"&&(u+=Xu(t,n,o));let p=[...t.childNodes].map(h=>{if(h.nodeType===Node.TEXT_NODE)return n.visibility==="visible"?Uu(h,n):"";let m=t.localName==="details"&&!t.open&&h.localName!=="summary";return h.nodeType!==Node.ELEMENT_NODE||m?"":Ca(h,e)});u+=Bu(t,n,o,e,p.join(""))}return s<1&&u?Z("g",{opacity:s},u):u}function Bu(t,e,n,s,r){let o=[e.overflowX,e.overflowY].some(c=>c!=="visible")&&t!==document.body,a=t.scrollWidth>t.clientWidth+1||t.scrollHeight>t.clientHeight+1;if(!r||!o||!a)return r;let i=`clip-${++s.clips}`,l={x:n.left+t.clientLeft,y:n.top+t.clientTop,width:t.clientWidth,height:t.clientHeight};return s.defs+=Z("clipPath",{id:i},Z("rect",l)),Z("g",{"clip-path":`url(#${i})`},r)}function Hu(t,e,{left:n,top:s,width:r,height:o}){if(r<=0||o<=0)return"";let a=Math.min(parseFloat(e.borderTopLeftRadius)||0,r/2,o/2),i=(g,x)=>Z("rect",{x:n-g,y:s-g,width:r+2*g,height:o+2*g,rx:a?a+g:null,...x}),l=(g,x,b)=>i(b,{fill:"none",...ht(x,"stroke"),"stroke-width":g}),c=ht(e.backgroundColor),u=c?i(0,c):"",[p,h,m,f]=["Top","Right","Bottom","Left"].map(g=>({size:e[`border${g}Style`]==="none"?0:parseFloat(e[`border${g}Width`]),colour:e[`border${g}Color`]}));if([h,m,f].every(({size:g,colour:x})=>g===p.size&&x===p.colour))p.size>0&&ht(p.colour)&&(u+=l(p.size,p.colour,-p.size/2));else{let[g,x]=[n+r,s+o],b=[[p,n,s,g,s],[h,g,s,g,x],[m,n,x,g,x],[f,n,s,n,x]];for(let[{size:v,colour:y},w,M,A,z]of b){let k=v>0&&ht(y,"stroke");k&&(u+=Z("line",{x1:w,y1:M,x2:A,y2:z,...k,"stroke-width":v}))}}let $=parseFloat(e.outlineWidth);return e.outlineStyle==="solid"&&$>0&&!t.matches(":focus")&&(u+=l($,e.outlineColor,parseFloat(e.outlineOffset)+$/2)),u}function Uu(t,e){let n=t.data,s=n.search(/\S/);if(s<0)return"";let r=document.createRange(),o=(c,u)=>(r.setStart(t,c),r.setEnd(t,u),[...r.getClientRects()].filter(p=>p.width>0&&p.height>0)),a=n.trimEnd().length,i=o(s,a);if(!i.length)return"";if(new Set(i.map(c=>Math.round(c.top))).size===1)return Sa(n.slice(s,a),e,i[0],i.at(-1));let l=[];for(let c=s;c<a;){let u=n.codePointAt(c)>65535?2:1,p=o(c,c+u).at(-1),h=l.at(-1);p&&(!h||Math.abs(p.top-h.from.top)>p.height/2)?l.push({text:n.slice(c,c+u),from:p,to:p}):p?(h.text+=n.slice(c,c+u),/\S/.test(n[c])&&(h.to=p)):h&&(h.text+=n.slice(c,c+u)),c+=u}return l.map(c=>Sa(c.text,e,c.from,c.to)).join("")}function Sa(t,e,n,s){let o=/^(pre|break-spaces)/.test(e.whiteSpace)?t.replace(/[\r\n]+/g,"").replaceAll(" "," "):t.replace(/\s+/g," ").trim(),a=e.textTransform==="uppercase"?o.toUpperCase():o,i=ht(e.color);if(!i||!a.trim())return"";let{up:l,down:c}=Aa(e),u=a.length>1&&s.right>n.left?s.right-n.left:null,p=e.fontStyle!=="normal"||e.textTransform==="math-auto"&&/^\p{L}$/u.test(a);return Z("text",{x:n.left,y:n.top+n.height*l/(l+c),...i,textLength:u,lengthAdjust:u===null?null:"spacingAndGlyphs","font-family":e.fontFamily,"font-size":parseFloat(e.fontSize),"font-weight":e.fontWeight==="400"?null:e.fontWeight,"font-style":p?"italic":null},De(a))}var Bs=new Map;function Aa(t){let e=`${t.fontStyle} ${t.fontWeight} ${t.fontSize} ${t.fontFamily}`;if(!Bs.has(e)){let n=document.createElement("canvas").getContext("2d");n.font=e;let{fontBoundingBoxAscent:s,fontBoundingBoxDescent:r}=n.measureText("x");Bs.set(e,{up:s,down:r})}return Bs.get(e)}function Ku(t,e,n){let{up:s,down:r}=Aa(e),o=n.right-parseFloat(e.paddingRight)-parseFloat(e.borderRightWidth),a={"font-family":e.fontFamily,"font-size":parseFloat(e.fontSize),"text-anchor":"end"};return Z("text",{x:o,y:n.top+n.height/2+(s-r)/2,...ht(e.color),...a},De(t.value))}function Vu(t,e,n){let[s,r]=[...t.children].map(i=>i.getBoundingClientRect()),o=(s.bottom+r.top)/2,a={...ht(e.color,"stroke"),"stroke-width":Math.max(1,parseFloat(e.fontSize)/16)};return Z("line",{x1:n.left+1,x2:n.right-1,y1:o,y2:o,...a})}function Xu(t,e,n){let s=t.firstElementChild?.getBoundingClientRect()??n,r=Math.max(4,s.left-n.left),a=[[0,n.height*.6],[r*.25,n.height*.54],[r*.6,n.height],[r,1],[n.width,1]].map(([i,l])=>`${Re(n.left+i)},${Re(n.top+l)}`).join(" ");return Z("polyline",{points:a,fill:"none",...ht(e.color,"stroke"),"stroke-width":1})}function Gu(t,e,n){let{cells:s}=t;if(!s||s.rows*s.columns>4096)return Ta(t.toDataURL("image/png"),e,n);let[r,o]=[n.width/s.columns,n.height/s.rows],a="";for(let i=0;i<s.rows;i++)for(let l=0,c;l<s.columns;l=c){let u=s.colour(i,l);for(c=l+1;c<s.columns&&s.colour(i,c)===u;)c++;let[p,h]=[c<s.columns?r/2:0,i<s.rows-1?o/2:0];a+=Z("rect",{x:n.left+l*r,y:n.top+i*o,width:(c-l)*r+p,height:o+h,...ht(u)})}return Z("g",{"shape-rendering":"crispEdges"},a)}function Ju(t,e,n){if(!t.complete||!t.naturalWidth)return"";let s=document.createElement("canvas");return[s.width,s.height]=[t.naturalWidth,t.naturalHeight],s.getContext("2d").drawImage(t,0,0),Ta(s.toDataURL("image/png"),e,n)}var Ta=(t,e,{left:n,top:s,width:r,height:o})=>t.length<10?"":Z("image",{x:n,y:s,width:r,height:o,preserveAspectRatio:"none","xlink:href":t,"image-rendering":e.imageRendering==="auto"?null:e.imageRendering}),Ea={fill:"#000000","fill-opacity":"1",stroke:"none","stroke-opacity":"1","stroke-width":"1px","stroke-dasharray":"none","stroke-linecap":"butt","stroke-linejoin":"miter","text-anchor":"start","dominant-baseline":"auto","paint-order":"normal","shape-rendering":"auto","font-style":"normal","font-weight":"400","font-family":null,"font-size":null},Yu=/^(on|aria-|data-|class$|style$|role$|tabindex$|focusable$|width$|height$|xmlns)/;function Qu(t,e,n){let[s,r]=["viewBox","preserveAspectRatio"].map(i=>t.getAttribute(i)),o=e.overflow==="visible"?"visible":"hidden",a={x:n.left,y:n.top,width:n.width,height:n.height,viewBox:s,preserveAspectRatio:r,overflow:o};return Z("svg",a,[...t.childNodes].map(i=>Oa(i,Ea)).join(""))}function Oa(t,e){if(t.nodeType===Node.TEXT_NODE)return De(t.data.replace(/\s+/g," "));if(t.nodeType!==Node.ELEMENT_NODE||["foreignObject","script","style","animate"].includes(t.localName))return"";let n=getComputedStyle(t);if(n.display==="none"||n.visibility==="hidden")return"";let s={};for(let{name:a,value:i}of t.attributes)(!Yu.test(a)||/^(width|height)$/.test(a)&&t.localName!=="svg")&&(s[a]=i);let r={...e};for(let a of Object.keys(Ea)){delete s[a];let i=/^(fill|stroke)$/.test(a)?Zu(n[a]):n.getPropertyValue(a);i!==e[a]&&(s[a]=r[a]=i)}Number(n.opacity)<1&&(s.opacity=n.opacity),n.transform!=="none"&&!t.hasAttribute("transform")&&(s.transform=n.transform.replace(/px/g,"")),t.localName==="svg"&&Object.assign(s,{width:t.getAttribute("width"),height:t.getAttribute("height")});let o=[...t.childNodes].map(a=>Oa(a,r)).join("");return Z(t.localName==="a"?"g":t.localName,s,o)}function Zu(t){if(t==="none"||t.startsWith("url("))return t.replaceAll('"',"");let e=ht(t);return e?e["fill-opacity"]?t:e.fill:"none"}function ht(t,e="fill"){let n=/^rgba?\(([\d.]+),? ([\d.]+),? ([\d.]+)(?:,? ?\/? ?([\d.]+%?))?\)$/.exec(t);if(!n)return t&&t!=="none"&&t!=="transparent"?{[e]:tp(t)}:null;let s=n[4]===void 0?1:n[4].endsWith("%")?parseFloat(n[4])/100:Number(n[4]);if(s===0)return null;let r=n.slice(1,4).map(o=>Math.round(Number(o)).toString(16).padStart(2,"0")).join("");return{[e]:`#${r}`,[`${e}-opacity`]:s<1?s:null}}var ze=null;function tp(t){ze??=Object.assign(document.createElement("canvas"),{width:1,height:1}).getContext("2d",{willReadFrequently:!0}),ze.clearRect(0,0,1,1),ze.fillStyle=t,ze.fillRect(0,0,1,1);let[e,n,s]=ze.getImageData(0,0,1,1).data;return`#${[e,n,s].map(r=>r.toString(16).padStart(2,"0")).join("")}`}function Z(t,e={},n=""){let s=`<${t}`;for(let[r,o]of Object.entries(e))o!=null&&o!==""&&(s+=` ${r}="${De(typeof o=="number"?Re(o):o)}"`);return n===""?`${s}/>`:`${s}>${n}</${t}>`}var Re=t=>String(Math.round(t*100)/100),De=t=>String(t).replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu,"").replace(/[&<>"]/g,e=>({"&":"&amp;","<":"&lt;",">":"&gt;",'"':"&quot;"})[e]);function at({name:t,of:e,numbers:n,saves:s,ask:r,view:o,state:a,place:i}){let[l,c]=q(!1),[u,p]=q({text:"",error:!1}),[h,m]=q(!1),f=D(null),$=X(),g=w=>{c(!1),w&&f.current?.querySelector("button").focus()};I(()=>{if(!l)return;f.current.querySelector("[role=menuitem]").focus();let w=M=>f.current?.contains(M.target)||c(!1);return document.addEventListener("pointerdown",w),()=>document.removeEventListener("pointerdown",w)},[l]);let x=()=>Hs(e.current,t),b=[["Picture, SVG",async()=>qe(t,"svg",new Blob([x()],{type:"image/svg+xml"}))],["Picture, PNG",async()=>qe(t,"png",await Na(x()))],n&&["Numbers, CSV",async()=>qe(t,"csv",new Blob([wa(await n())],{type:"text/csv;charset=utf-8"}))],n&&i!=="file"&&["Numbers, NPZ",async()=>qe(t,"npz",await ep(r,await n()))],s&&i!=="file"&&["This view, HTML",async()=>qe(t,"html",await sp(r,o,a,s()))],i==="page"&&["Copy a link",async()=>np(location.href)]].filter(Boolean),v=async w=>{m(!0),p({text:"",error:!1});try{p({text:await w(),error:!1}),g(!0)}catch(M){p({text:M.message,error:!0})}m(!1)};return d`<div class="menu" ref=${f} data-unpictured onKeyDown=${w=>{if(w.key==="Escape"&&l)return w.stopPropagation(),g(!0);if(!l){w.key==="ArrowDown"&&(w.preventDefault(),c(!0));return}let M=[...f.current.querySelectorAll("[role=menuitem]")],A=M.indexOf(document.activeElement);A>=0&&w.key!=="ArrowLeft"&&w.key!=="ArrowRight"&&M[he(w,A,M.length,1)??A].focus()}}
    onFocusOut=${w=>w.relatedTarget&&!f.current.contains(w.relatedTarget)&&g(!1)}>
    <button class="quiet" aria-haspopup="menu" aria-expanded=${String(l)} aria-controls=${l?$:null} onClick=${()=>c(!l)}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        <path fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"
          d="M8 2v8M4.8 7.2 8 10.4l3.2-3.2M2.5 13.5h11" /></svg>Export</button>
    ${l&&d`<div id=${$} role="menu" aria-label="Export" aria-busy=${String(h)}>
      ${b.map(([w,M])=>d`<button role="menuitem" tabindex="-1" disabled=${h} onClick=${()=>v(M)}>${w}</button>`)}
      ${h&&d`<p class="waiting" role="none">saving …</p>`}
      ${u.error&&d`<p class="error" role="none">${u.text}</p>`}
    </div>`}
    <span class="unseen" role="status" aria-live="polite">${u.text}</span>
  </div>`}function qe(t,e,n){let s=`${t.replace(/[^\p{L}\p{N}._-]+/gu,"-")}.${e}`,r=Object.assign(document.createElement("a"),{href:URL.createObjectURL(n),download:s});return document.body.append(r),r.click(),r.remove(),setTimeout(()=>URL.revokeObjectURL(r.href),6e4),`${s} was saved`}async function ep(t,e){let n=({shape:i,data:l})=>({shape:i,data:is(new Uint8Array(Float64Array.from(l,c=>c??NaN).buffer))}),s={arrays:Object.fromEntries(Object.entries(e).map(([i,l])=>[i,n(l)]))},{header:r,data:o,offset:a}=await t("npz",s);return new Blob([new Uint8Array(o,a)],{type:r.kind})}async function np(t){try{await navigator.clipboard.writeText(t)}catch{let e=Object.assign(document.createElement("textarea"),{value:t});document.body.append(e),e.select();let n=document.execCommand("copy");if(e.remove(),!n)throw new Error("the browser does not let the page copy; copy the address from its bar")}return"The link was copied"}async function sp(t,e,n,s){let r=await t("frame",{}),o=[...new Map(s.map(u=>[JSON.stringify(u),u])).values()],a=[],i=0;for(let u=0;u<o.length;u+=4){let p=o.slice(u,u+4);if((await Promise.all(p.map(([m,f])=>t(m,f)))).forEach((m,f)=>{let $=m.packed instanceof Uint8Array?is(m.packed):m;a.push([...p[f],$]),i+=typeof $=="string"?$.length:JSON.stringify($).length}),i>r.max_answers)throw new Error(`a saved file must have at most ${r.max_answers/2**20} MB of answers: got more; show fewer tokens or heads`)}let l=new Date().toISOString().slice(0,10),c=JSON.stringify({view:e,state:n,answers:a,version:r.version,date:l});return new Blob([r.before,c.replaceAll("<","\\u003c"),r.after],{type:"text/html;charset=utf-8"})}var Pa=new WeakMap;function Ks(t,e,n,s,r=s){if(s===1&&r===1)return{data:t,rows:e,columns:n,down:s,right:r,at:null};let o=Pa.get(t);if(o?.down===s&&o.right===r)return o;let[a,i]=[Math.ceil(e/s),Math.ceil(n/r)],l={data:new Float32Array(a*i),rows:a,columns:i,down:s,right:r,at:new Uint32Array(a*i)};for(let c=0,u=0;c<e;c++)for(let p=0,h=Math.floor(c/s)*i,m=r;p<n;p++,u++){let[f,$]=[t[u]<0?-t[u]:t[u],l.data[h]<0?-l.data[h]:l.data[h]];f>$&&(l.data[h]=t[u],l.at[h]=u+1),--m===0&&(h++,m=r)}return Pa.set(t,l),l}function An(t,e,n,s,r,o,a=2048){let i=Ks(e,n,s,Math.ceil(n/a),Math.ceil(s/a));[t.width,t.height]=[i.columns,i.rows];let l=new Uint32Array(Ht(r).buffer),c=new ImageData(i.columns,i.rows),u=new Uint32Array(c.data.buffer);for(let p=0;p<u.length;p++)u[p]=l[on(i.data[p],r,o)];t.getContext("2d").putImageData(c,0,0),t.cells={rows:i.rows,columns:i.columns,colour:(p,h)=>Ot(i.data[p*i.columns+h],r,o)}}var Us=[{least:13,size:12,letter:7.2,most:13,space:12},{least:9,size:10,letter:6,most:10,space:10}],Nn=(t,{most:e})=>t.length>e?`${t.slice(0,e-1)}…`:t,Cn=(t,e)=>e.space+e.letter*Math.max(...t.map(n=>Nn(n,e).length));function za(t,e,n){let s=Math.min(n-70,600);return!t||s/e>=Us[0].least?s:Math.min(n-Cn(t,Us[1]),600)}function wt(t){let{data:e,rows:n,columns:s,scale:r="weight",limit:o=1,label:a,rowNames:i,columnNames:l,chosen:c,onChoose:u,onPoint:p,says:h,side:m=520}=t,f=lt(),$=D(null),g=X(),[x,b]=q(null),v=Math.max(Math.min(m/Math.max(n,s),56),.001),[y,w]=[v*s,v*n],M=Us.find(({least:C})=>v>=C),A=M&&l&&Cn(l,M)-M.space>v,z=M&&i?Cn(i,M):0,k=M&&l?6+(A?Cn(l,M):M.space):0,_={fontSize:`${Math.min(M?.size,v)}px`};it(()=>{An($.current,e,n,s,r,o)},[e,n,s,r,o,f]),I(()=>b(null),[n,s]);let T=C=>{let S=$.current.getBoundingClientRect(),[P,L]=[Math.floor((C.clientY-S.top)/S.height*n),Math.floor((C.clientX-S.left)/S.width*s)];return P>=0&&L>=0&&P<n&&L<s?[P,L]:null},N=C=>(b(C),p?.(...C??[null,null])),R=h??((C,S)=>`${i?.[C]??`row ${C}`} to ${l?.[S]??`column ${S}`}: ${O(e[C*s+S])}`),B=C=>{let[S,P]=x??c??[0,0],L=C.shiftKey?Math.max(1,Math.round(s/16)):1,j={ArrowUp:[-L,0],ArrowDown:[L,0],ArrowLeft:[0,-L],ArrowRight:[0,L],Home:[0,-P],End:[0,s-1-P]}[C.key];j?(C.preventDefault(),N(x?[La(S+j[0],n),La(P+j[1],s)]:[S,P])):(C.key==="Enter"||C.key===" ")&&x&&(C.preventDefault(),u?.(S,P))},E=(C,S)=>C&&d`<rect class=${S} x=${z+C[1]*v} y=${k+C[0]*v} width=${Math.max(v,2)} height=${Math.max(v,2)} />`;return d`<div class="heatmap" style=${{width:`${z+y}px`,height:`${k+w}px`}}
    tabindex="0" role="application" aria-roledescription="heat map" aria-label=${a} aria-describedby=${g}
    onKeyDown=${B} onBlur=${()=>N(null)} onPointerLeave=${()=>N(null)}
    onPointerMove=${C=>N(T(C))}
    onClick=${C=>T(C)&&u?.(...T(C))}>
    <canvas ref=${$} style=${{left:`${z}px`,top:`${k}px`,width:`${y}px`,height:`${w}px`}}></canvas>
    <svg width=${z+y} height=${k+w} aria-hidden="true">
      ${M&&i?.map((C,S)=>d`<text class="tick" style=${_} x=${z-6} y=${k+(S+.5)*v} dy="0.35em" text-anchor="end">${Nn(C,M)}</text>`)}
      ${M&&l?.map((C,S)=>A?d`<text class="tick" style=${_} transform=${`translate(${z+(S+.5)*v},${k-6}) rotate(-90)`} dy="0.35em">${Nn(C,M)}</text>`:d`<text class="tick" style=${_} x=${z+(S+.5)*v} y=${k-6} text-anchor="middle">${Nn(C,M)}</text>`)}
      ${E(c,"pinned")}${E(x,"cursor")}
    </svg>
    <span id=${g} class="unseen" aria-live="polite">${x?R(...x):c?R(...c):`${n} by ${s}; use the arrow keys to move, Enter to pin`}</span>
  </div>`}var La=(t,e)=>Math.max(0,Math.min(e-1,t));function de({scale:t="weight",limit:e=1,label:n="weight"}){let s=lt(),r=D(null);return it(()=>{let o=t==="signed"?-e:0,a=Float64Array.from({length:128},(i,l)=>o+(e-o)*l/127);An(r.current,a,1,128,t,e)},[t,e,s]),d`<div class="legend"><span>${t==="signed"?O(-e,2):0}</span><canvas ref=${r} aria-hidden="true"></canvas><span>${O(e,2)}</span><span class="of">${n}</span></div>`}function ja({ask:t,row:e,document:n,state:s,place:r}){let[o,a]=q(!1),{response:i,error:l,waiting:c}=G(t,"claim",{id:e.id,run:o}),u=D(null),p=i?.id===e.id?i:null,h=p?.verdict??e.verdict,m=p!==null&&p.verdict===null;return d`<article class="panel claims-detail" aria-label=${`${e.id}, ${e.title}`} data-claim=${e.id} data-judged=${String(!!p?.verdict)}>
    <div ref=${u}><header>
      <div class="claims-over"><code>${e.id}</code><span>${n}</span></div>
      <h2>${e.title}</h2>
      <div class="claims-verdict"><${$p} verdict=${h} /><span class="note">${m?"a run decides":je(h).about}</span>
        <${at} name=${`claim-${e.id}`} of=${u} numbers=${p?.chart?()=>fp(p.chart):void 0}
          saves=${()=>[["catalogue",{}],["claim",{id:e.id,run:!1}]]} ask=${t} view="claims" state=${s} place=${r} /></div>
      ${p?.verdict&&!p.verdict.startsWith(p.expected)&&d`<p class="error">The catalogue expects: ${p.expected}.</p>`}
    </header>
    ${p?d`<${Yt} class="claims-question-asked" text=${p.asks} />`:d`<p class="claims-question-asked">${e.asks}</p>`}
    <${W} error=${l} waiting=${c&&!o}>checking …</${W}>
    ${m&&d`<${op} claim=${p} running=${o&&c} place=${r} onRun=${()=>a(!0)} onStop=${()=>a(!1)} />`}
    ${p&&d`<div class="claims-versions">${p.versions.filter(f=>f.role!=="twin").map(f=>d`<${Fa} version=${f} />`)}</div>
      ${p.chart&&d`<${hp} chart=${p.chart} />`}`}</div>
    ${p&&d`<${rp} claim=${p} ask=${t} place=${r} />`}
  </article>`}function rp({claim:t,ask:e,place:n}){let s=t.versions.find(r=>r.role==="twin");return d`
    ${t.see&&n==="page"&&d`<p class="claims-see">
      <a href=${`#${t.see.view}?${encodeURIComponent(JSON.stringify(t.see.state))}`}>${t.see.words}<span aria-hidden="true"> →</span></a></p>`}
    ${t.exercises.length>0&&n!=="file"&&d`<section class="claims-box">
      <h3>Try an answer</h3><${ip} ask=${e} exercises=${t.exercises} /></section>`}
    <details class="claims-fold"><summary>Why</summary><${Yt} class="claims-why" text=${t.why} />
      ${t.quantities.length>0&&d`<dl class="claims-letters">${t.quantities.map(([r,o])=>d`<${Yt} tag="dt" text=${r} /><${Yt} tag="dd" text=${o} />`)}</dl>`}
    </details>
    <details class="claims-fold"><summary>A false twin, which the check must refute</summary>
      <p class="note">A check that cannot fail proves nothing, so each one also runs on a false statement close to the true one.</p>
      <${Fa} version=${s} /></details>
    <details class="claims-fold"><summary>How it was checked</summary>
      <${Yt} text=${t.method} />
      ${t.source&&d`<p>The numbers are of: ${t.source}.</p>`}
      ${t.code.length>0&&d`<p>In the code: ${t.code.map((r,o)=>d`${o?", ":""}<code>${r}</code>`)}</p>`}
      ${t.verdict&&d`<p class="note">${t.seconds<.01?"Less than 0.01":t.seconds.toFixed(2)} s of computing.</p>`}
    </details>`}var Ra=6;function Fa({version:t}){let e=[...t.findings].sort((s,r)=>s.holds-r.holds),n=e.length>Ra+1?Ra:e.length;return d`<section class=${`claims-version claims-by-${t.role}`} data-role=${t.role}>
    <h3>${t.heading}</h3>
    <${Yt} class="claims-text" text=${t.text} />
    ${t.formula&&d`<${Yt} class="claims-formula" text=${t.formula} label="Formula" />`}
    ${n>0&&d`<${Da} findings=${e.slice(0,n)} />`}
    ${n<e.length&&d`<details class="claims-more"><summary>${e.length-n} more</summary>
      <${Da} findings=${e.slice(n)} /></details>`}
  </section>`}var Da=({findings:t})=>d`<ul class="claims-findings">${t.map(e=>d`<li class=${e.holds?"claims-yes":"claims-no"}>
    <span role="img" aria-label=${e.holds?"holds":"fails"}>${e.holds?"✓":"✗"}</span><span>${e.shown}</span></li>`)}</ul>`;function op({claim:t,running:e,place:n,onRun:s,onStop:r}){let[o,a]=q(0);return I(()=>{if(!e)return;let i=Date.now(),l=setInterval(()=>a((Date.now()-i)/1e3),250);return()=>(clearInterval(l),a(0))},[e]),d`<div class="claims-unrun" role="status">
    <p>An experiment decides this claim, and no run of it is recorded here. A small version trains in about ${t.takes} seconds.</p>
    ${e?d`<div class="row"><progress aria-label="Training" max=${t.takes} value=${Math.min(o,t.takes*.97)}></progress>
          <span class="note">training, ${Math.round(o)} s</span>
          <button onClick=${r}>Stop</button></div>`:n==="file"?d`<${Ut} place=${n} what="run it" />`:d`<button class="main" onClick=${s}>Run it now</button>`}
  </div>`}function Yt({text:t,tag:e="div",class:n,label:s}){let r=D(null);return it(()=>{if(r.current.innerHTML=t,!s)return;r.current.scrollWidth>r.current.clientWidth+1?r.current.tabIndex=0:r.current.removeAttribute("tabindex")},[t,s]),d`<${e} ref=${r} class=${n} role=${s?"group":null} aria-label=${s??null}></${e}>`}var ap={right:["✓","holds"],"partly right":["≈","corrected"],wrong:["✗","refuted"],"not read":["?","answered"]};function ip({ask:t,exercises:e}){let n=[...new Set(e.map(s=>s.question))];return d`<div class="claims-questions">
    ${n.map(s=>{let r=e.filter(o=>o.question===s);return d`<div class="claims-question" key=${s} data-question=${s}>
        <p>${r[0].text}</p>
        ${r.map((o,a)=>d`<${lp} key=${`${s} ${o.part}`} ask=${t} exercise=${o} tells=${o.how!==r[a-1]?.how} />`)}
      </div>`})}
    <${pp} kinds=${new Set(e.map(s=>s.kind))} />
  </div>`}var Vs=new Map;function lp({ask:t,exercise:e,tells:n}){let{question:s,part:r,asks:o,kind:a,how:i,choices:l,examples:c}=e,u=X(),p=`${s} ${r}`,[h,m]=q(Vs.get(p)??""),[f,$]=q(Vs.get(p)??null),{response:g,error:x,waiting:b,of:v}=G(t,"answer",f===null?null:{question:s,part:r,answer:f}),y=A=>{m(A),A.trim()&&(Vs.set(p,A.trim()),$(A.trim()))},w=a==="truth"?[["true","true"],["false","false"]]:Object.entries(l),M=f!==null&&h.trim()===f&&v===JSON.stringify({question:s,part:r,answer:f});return d`<div class="claims-try" data-part=${r}>
    ${o&&d`<p class="claims-asks" id=${`${u}-asks`}>${o}</p>`}
    ${w.length?d`<div class=${`claims-options ${a}`} role="group" aria-label=${o||"Your answer"}>${w.map(([A,z])=>d`<button aria-pressed=${String(f===A)} onClick=${()=>y(A)}>
            ${a==="choice"?d`<b>${A}</b> ${z}`:z}
          </button>`)}</div>`:d`<form class="claims-form" onSubmit=${A=>(A.preventDefault(),y(h))}>
          <label class="unseen" for=${u}>${`Your answer${o?`: ${o}`:""}`}</label>
          <input id=${u} type="text" value=${h} maxlength="2000" autocomplete="off" autocapitalize="off" spellcheck=${!1} aria-describedby=${`${u}-how`}
            placeholder="your answer" onInput=${A=>m(A.target.value)} />
          <button class="main" type="submit" disabled=${!h.trim()}>Check</button>
        </form>
        <p class=${n?"note":"unseen"} id=${`${u}-how`}>Write ${i}.</p>
        ${c.length>0&&d`<p class="claims-examples"><span class="note">Or try</span>
          ${c.map(A=>d`<button class="claims-example" onClick=${()=>y(A)}>${A}</button>`)}</p>`}`}
    <${W} error=${x} waiting=${b}>marking …</${W}>
    <div role="status" aria-live="polite">${M&&!x&&d`<${cp} mark=${g} />`}</div>
  </div>`}function cp({mark:t}){let[e,n]=ap[t.word],s=t.counterexample,r=Object.entries(s?.breakdown??{});return d`<div class=${`claims-mark claims-${n}`} data-word=${t.word}>
    <p class="claims-word"><span aria-hidden="true">${e}</span> ${t.word}
      ${t.word==="partly right"&&d`<span class="note">${t.points} of ${t.out_of} points</span>`}
      ${t.read_as&&d`<span class="note">read as <code>${t.read_as}</code></span>`}</p>
    ${s&&d`<dl class="claims-counter" data-counterexample>
      <div><dt>at</dt><dd>${Object.entries(s.sizes).map(([o,a])=>`${o} = ${a}`).join(", ")}</dd></div>
      <div><dt>yours</dt><dd class="claims-no">${s.yours}</dd></div>
      <div><dt>true</dt><dd class="claims-yes">${s.true}
        ${r.length>0&&d`<small>${r.map(([o,a],i)=>`${i?" + ":" = "}${a} (${o})`)}</small>`}</dd></div>
    </dl>`}
    ${t.feedback.map(o=>d`<p>${o}</p>`)}
  </div>`}var up={formula:["A formula",["3D² + 3D","3*D**2 + 3D","\\frac{D^2}{H}","N_h D_i (2 D_hid + D_o)","√d"]],order:["An order of growth",["Θ(N² D)","O(N D + D²)"]],number:["A number",["0.465","1/3","12.5 %","67.1M","5.6e-42"]],vector:["A vector",["(0.1, 0.2)","0.1, 0.2"]],matrix:["A matrix",["[[1, 2], [3, 4]]","1 2; 3 4"]]};function pp({kinds:t}){let e=Object.entries(up).filter(([n])=>t.has(n));return e.length?d`<details class="claims-fold"><summary>How to write answers</summary>
    <dl class="claims-letters">${e.map(([,[n,s]])=>d`<dt>${n}</dt><dd>${s.map((r,o)=>d`${o?", ":""}<code>${r}</code>`)}</dd>`)}</dl>
    <p class="note">Unicode, LaTeX and Python notation all work; products need no sign. Formulas are compared exactly, so any equivalent form is right. Numbers
      must be right in the digits you give. Nothing you type is run as code.</p>
  </details>`:null}function hp({chart:t}){return d`<div class="claims-chart" data-chart=${t.kind}>
    <h3>${t.title}</h3>
    ${t.kind==="lines"&&d`<${St} label=${t.title} xLabel=${t.x_label} yLabel=${t.y_label} logX=${t.log_x} logY=${t.log_y}
      series=${Ia(t)}
      marks=${Object.entries(t.marks??{}).map(([e,n])=>({name:e,x:n}))} />`}
    ${t.kind==="bars"&&d`<${Ma} label=${t.title} names=${t.names} groups=${t.groups} yLabel=${t.y_label} logY=${t.log_y} />
      <${dp} chart=${t} />`}
    ${t.kind==="matrices"&&d`<${mp} chart=${t} />`}
  </div>`}var Ia=({x:t,y:e,bands:n})=>Object.entries(e).map(([s,r])=>({name:s,x:t,y:r,low:n?.[s]?.[0],high:n?.[s]?.[1]})),Wa=({panels:t})=>Object.entries(t).map(([e,n])=>({name:e,rows:n.length,columns:n[0].length,values:n.flat()}));function dp({chart:t}){return d`<div class="scrolls"><table class="lines">
    <thead><tr><th></th>${Object.keys(t.groups).map(e=>d`<th class="number">${e}</th>`)}</tr></thead>
    <tbody>${t.names.map((e,n)=>d`<tr><th>${e}</th>
      ${Object.values(t.groups).map(s=>d`<td class="number">${O(s[n])}</td>`)}</tr>`)}</tbody>
  </table></div>`}function mp({chart:t}){let[e,n]=q(null),[s,r]=Q(),o=K(()=>Wa(t),[t]),{signed:a,limit:i}=t,l=o.length===1?1:Math.max(2,Math.floor((r+24)/(o.length>4?164:250))),c=Math.min(o.length===1?420:260,(r-24*(l-1))/l-(t.rows?30:0)),u=a?"signed":"weight",p=(m,f)=>m??(f<=12?Array.from({length:f},($,g)=>String(g+1)):void 0),h=(m,f,$)=>{let[g,x]=[t.rows?.[f]??f+1,t.columns?.[$]??$+1];return`${m.name}, ${t.row_label} ${g}, ${t.column_label} ${x}: ${O(m.values[f*m.columns+$])}`};return d`<div ref=${s}>
    ${r>0&&d`<div class="claims-panels">${o.map(m=>d`<figure>
      <figcaption>${m.name}</figcaption>
      <${wt} data=${m.values} rows=${m.rows} columns=${m.columns} scale=${u} limit=${i} side=${Math.max(c,90)}
        label=${`${m.name}: ${t.row_label} by ${t.column_label}`}
        rowNames=${p(t.rows,m.rows)} columnNames=${p(t.columns,m.columns)}
        says=${(f,$)=>h(m,f,$)} onPoint=${(f,$)=>n(f===null?null:h(m,f,$))} />
    </figure>`)}</div>`}
    <p class="claims-reading"><${de} scale=${u} limit=${i} label=${`${t.row_label} ↓  ${t.column_label} →`} /><span>${e??""}</span></p>
  </div>`}function fp(t){if(t.kind==="matrices"){let n=({rows:s,columns:r,values:o})=>({shape:[s,r],data:o,rows:t.rows,columns:t.columns});return Object.fromEntries(Wa(t).map(s=>[s.name,n(s)]))}if(t.kind==="bars"){let n=Object.entries(t.groups);return{[t.y_label]:{...qa(n),rows:t.names}}}let e=[[t.x_label,t.x]];for(let{name:n,y:s,low:r,high:o}of Ia(t))e.push([n,s],...r?[[`${n}, low`,r],[`${n}, high`,o]]:[]);return{[t.y_label]:qa(e)}}var qa=t=>({shape:[t[0][1].length,t.length],data:t[0][1].flatMap((e,n)=>t.map(([,s])=>s[n])),columns:t.map(([e])=>e)}),Xs={holds:{sign:"✓",kind:"holds",about:"as the document says it"},"holds as corrected":{sign:"≈",kind:"corrected",about:"its answer holds; a step, a reason or a missing condition does not"},refuted:{sign:"✗",kind:"refuted",about:"its answer does not hold, and here is the counterexample"},answered:{sign:"→",kind:"answered",about:"it asks and does not answer; here is the answer"},built:{sign:"■",kind:"built",about:"it gives code or a figure; here is the part, tested"},experiment:{sign:"∿",kind:"experiment",about:"a run decides; here are its numbers"},unsettled:{sign:"!",kind:"unsettled",about:"our own statement failed its check"}},je=t=>Xs[t.split(":")[0]],Ba=({verdict:t})=>d`<span class=${`claims-sign claims-${je(t).kind}`} role="img" aria-label=${t} title=${t}>${je(t).sign}</span>`,$p=({verdict:t})=>d`<span class=${`claims-badge claims-${je(t).kind}`} data-verdict=${t}>
    <span aria-hidden="true">${je(t).sign}</span>${t}
  </span>`;function gp(t){let{response:e,error:n,waiting:s}=G(t.ask,"catalogue",{});return e?d`<${xp} ...${t} catalogue=${e} />`:d`<${W} error=${n} waiting=${s}>reading the catalogue …</${W}>`}function xp(t){let{ask:e,state:n,place:s,catalogue:{rows:r,documents:o}}=t,a=r.find(({id:l})=>l===n.claim),i=a?d`<${ja} key=${a.id} ask=${e} row=${a} document=${o[a.document]} state=${n} place=${s} />`:d`<div class="panel"><p class="error">No claim is called “${n.claim}”: choose one from the list.</p></div>`;return d`<div class="claims">${s==="file"?i:d`<${yp} ...${t}>${i}<//>`}</div>`}function yp({state:t,change:e,catalogue:n,children:s}){let{documents:r}=n,o=K(()=>_p(n),[n]),a=kp(o,t.search),i=(f,$)=>!t[$]||f[$]===t[$],l=a.filter(f=>i(f,"document")),c=a.filter(f=>i(f,"verdict")),u=l.filter(f=>i(f,"verdict")),p=([f,$])=>[f,`${$} (${c.filter(g=>g.document===f).length})`],h=wp(t.claim);return d`<div class="claims-filters">
      <div class="claims-search" onKeyDown=${f=>{f.target.tagName!=="INPUT"||!u.length||(f.key==="Enter"&&e({claim:u[0].id}),f.key==="ArrowDown"&&(f.preventDefault(),h.current.querySelector("button").focus()))}}>
        <${pt} label="Search" live value=${t.search} placeholder="a word, or an id: β, noise, nyu.1c" max=${200}
          onChange=${f=>e({search:f})} />
        <${ot} label="Document" value=${t.document} onChange=${f=>e({document:f})}
          options=${[["","all five documents"],...Object.entries(r).map(p)]} />
      </div>
      <${bp} rows=${l} verdict=${t.verdict} onChange=${f=>e({verdict:f})} />
    </div>
    <div class="claims-sides">
      <${vp} rows=${u} documents=${r} current=${t.claim} list=${h}
        onOpen=${f=>e({claim:f})} onClear=${()=>e({search:"",verdict:"",document:""})} />
      ${s}
    </div>`}function bp({rows:t,verdict:e,onChange:n}){let s=Object.entries(Xs).filter(([r])=>r!=="unsettled");return d`<div class="claims-chips" role="group" aria-label="Verdict">
    <button aria-pressed=${String(!e)} onClick=${()=>n("")}>all <span class="claims-count">${t.length}</span></button>
    ${s.map(([r,{sign:o,kind:a}])=>d`<button class=${`claims-chip claims-${a}`} aria-pressed=${String(e===r)}
      onClick=${()=>n(e===r?"":r)}>
      <span aria-hidden="true">${o}</span>${r}<span class="claims-count">${t.filter(i=>i.verdict===r).length}</span></button>`)}
  </div>`}function vp({rows:t,documents:e,current:n,list:s,onOpen:r,onClear:o}){let a=t.some(l=>l.id===n)?n:t[0]?.id;return d`<nav class="claims-list" ref=${s} aria-label="Claims" onKeyDown=${l=>{let c=[...s.current.querySelectorAll("button[data-id]")],u=c.indexOf(l.target),p={ArrowDown:u+1,ArrowUp:u-1,Home:0,End:c.length-1}[l.key];u<0||p===void 0||(l.preventDefault(),c[p]?.focus())}}>
    <p class="unseen" role="status">${t.length} claims</p>
    ${!t.length&&d`<p class="claims-none">No claims found. <button onClick=${o}>Show all claims</button></p>`}
    ${Object.entries(e).map(([l,c])=>{let u=t.filter(p=>p.document===l);return u.length>0&&d`<section key=${l}><h3>${c}</h3><ul>${u.map(p=>d`<li key=${p.id}><button data-id=${p.id} aria-current=${p.id===n?"true":null} tabindex=${p.id===a?0:-1}
          onClick=${()=>r(p.id)}>
          <${Ba} verdict=${p.verdict} /><span class="claims-title">${p.title}</span><code>${p.id}</code></button></li>`)}</ul></section>`})}
  </nav>`}function wp(t){let e=D(null);return I(()=>{let n=e.current?.querySelector("[aria-current]");if(!n)return;let[s,r]=[e.current.getBoundingClientRect(),n.getBoundingClientRect()];(r.top<s.top||r.bottom>s.bottom)&&(e.current.scrollTop+=r.top-s.top-s.height/3)},[t]),e}var Ha={name:"claims",title:"Claims",about:"What five courses say about attention, checked: what holds, what does not, and the numbers that show it. Try your own answer and get the counterexample.",state:{search:"",verdict:"",document:"",claim:"nyu.1e"},View:gp},Gs=t=>t.normalize("NFKD").replace(/[\u0300-\u036f]/g,"").toLowerCase(),Ua=t=>Gs(t).split(/[^\p{L}\p{N}]+/u).filter(Boolean);function _p({rows:t,documents:e}){return t.map(n=>{let s=Gs(`${n.id} ${n.id.replace(".","")} ${n.title} ${n.asks} ${e[n.document]} ${n.verdict}`);return{row:n,text:s,words:Ua(s)}})}function kp(t,e){let n=Gs(e).split(/\s+/).filter(Boolean),s=t.filter(({text:r})=>n.every(o=>r.includes(o)));return s.length?s.map(({row:r})=>r):t.filter(({words:r})=>Ua(e).every(o=>r.some(a=>Mp(o,a)))).map(({row:r})=>r)}function Mp(t,e){return t.length<4?e.startsWith(t):[-1,0,1].some(n=>Sp(t,e.slice(0,t.length+n))<=1)}function Sp(t,e){let n=0;for(;n<t.length&&n<e.length&&t[n]===e[n];)n++;let[s,r]=[t.slice(n),e.slice(n)];if(!s&&!r)return 0;let o=s.length>1&&s[0]===r[1]&&s[1]===r[0]&&s.slice(2)===r.slice(2);return s.slice(1)===r.slice(1)||s.slice(1)===r||s===r.slice(1)||o?1:2}function Va({header:t,data:e,offset:n}){let s=t.steps.length*t.layers*t.heads;return{...t,centres:new Float32Array(e,n,2*s),precisions:new Float32Array(e,n+8*s,t.entries*s),image:t.has_image?new Uint8Array(e,n+4*(2+t.entries)*s,t.side**2):null}}function Js(t,e,n){let s=(r,o)=>n===0?r:r+n*(o-r);return{centre:e.centre.map((r,o)=>s(t.centre[o],r)),precision:e.precision.map((r,o)=>s(t.precision[o],r))}}function Fe(t,e,n){let s=Math.floor(e),r=(o,a)=>{let i=(o*t.layers+n)*t.heads+a,{centres:l,precisions:c,entries:u}=t;return{centre:[...l.subarray(2*i,2*i+2)],precision:[...c.subarray(u*i,u*(i+1))]}};return Array.from({length:t.heads},(o,a)=>e===s?r(s,a):Js(r(s,a),r(s+1,a),e-s))}var Tn=([t,e,,n])=>n!==void 0?[t,e,n]:[t,0,e??t];function Xa(t){let[e,n,s]=Tn(t);return Math.max(...t.map(Math.abs))<=1e6&&e>0&&s>0&&e*s>n*n&&(t.length<4||t[2]===n)}function me(t,e){let[n,s,r]=Tn(t),o=Math.hypot((r-n)/2,s),a=(n+r)/2,i=Math.sqrt(-Math.log1p(-e)),l=o<=1e-12*a;return{long:i/Math.sqrt(Math.max(a-o,1e-12)),short:i/Math.sqrt(a+o),angle:l?0:Math.atan2(2*s,r-n)/2+Math.PI/2}}function En(t){let[e,n,s]=Tn(t);return(4*(e*s-n*n))**-.25}var Np=60,Cp=.002;function Ga(t,e){let[n,s,r]=Tn(t),o=Math.hypot((r-n)/2,s),a=(n+r)/2,i=Math.min(1,Cp/Math.max(a-o,1e-9)),l=Math.max(i,Math.min(Math.max(1,Np/(a+o)),e));return t.map(c=>Number((c*l).toPrecision(4)))}var Ys=(t,e)=>({1:[e],2:[e,e],4:[e,0,0,e]})[t];function Ja(t,e){let n=1.5,s=t.side>>1;for(let r=0;r<t.steps.length;r++){let o=2*(r*t.layers+e)*t.heads;for(let a of t.centres.subarray(o,o+2*t.heads))n=Math.max(n,-s-a,s+a-t.side+1)}return Math.min(Math.ceil(2*n+.5)/2,t.side)}var ut=t=>`heads-hue-${t%6+1}`,On=t=>["","7 4","2 4","9 3 2 3"][Math.floor(t/6)%4],Ka=(t,e,n)=>`${Math.abs(t).toFixed(2)} ${t<0?n:e}`,Pn=([t,e])=>`${Ka(t,"down","up")}, ${Ka(e,"right","left")}`;function Qa({found:t,maps:e,head:n,precision:s,centre:r,onQuery:o}){let[a,i]=q(null),{h:l,w:c,query:u}=t,p=e.subarray(n*l*c,(n+1)*l*c),h=p.reduce((f,$)=>Math.max(f,$),0),m=t.heads[n];return d`<div class="heads-beside">
    <${wt} data=${p} rows=${l} columns=${c} limit=${h} side=${160} chosen=${u} label=${`Weights of head ${n+1} from the query`}
      says=${(f,$)=>`row ${f}, column ${$}: ${O(p[f*c+$])}`} onChoose=${(f,$)=>o([f,$])}
      onPoint=${(f,$)=>i(f===null?null:[f,$])} />
    <div>
      <${de} limit=${h} />
      <p class="heads-facts">${Pn(r)}<br />width ${O(En(s),2)}</p>
      <p class="hint">${a?d`row ${a[0]}, column ${a[1]}: <b data-weight>${O(p[a[0]*c+a[1]])}</b>`:`Away from borders its largest weight is ${O(100*(1-m.softness),2)} %.`}</p>
    </div>
  </div>`}var Ap=t=>t.map(e=>String(e).replace("-","−")).join(", "),Ya=(t,e)=>t&&e&&t[0]===e[0]&&t[1]===e[1];function Za({found:t,chosen:e,onChoose:n}){let[s,r]=t.kernel_size,o=Math.min(54,174/r),a=([u,p])=>[(p+(r-1)/2)*o,(u+(s-1)/2)*o],i=o>=46,l=t.heads.map((u,p)=>({...u,head:p})).filter(u=>u.tap),c=[...t.free,...l.map(u=>u.tap)].filter(u=>t.heads.some(p=>Ya(p.peak,u)));return d`<div class="heads-beside">
    <svg class="heads-kernel" width=${r*o+2} height=${s*o+2} viewBox=${`-1 -1 ${r*o+2} ${s*o+2}`}
      role="group" aria-label=${`Nearest kernel, ${s} by ${r}`}>
      ${t.free.map(u=>d`<rect class="free" x=${a(u)[0]} y=${a(u)[1]} width=${o-3} height=${o-3} rx="5" />`)}
      ${l.map(({head:u,tap:p,distance:h,peak:m,softness:f})=>{let[$,g]=a(p),x=Ya(m,p),b=x?1-f:0,v=b*(o-3),y=x?`${O(100*b,2)} % of its weight there`:"its weight is largest elsewhere",w=x?`${O(100*b,1)} %`:`${O(h,2)} off`,M=$+(o-3)/2;return d`<g class=${`heads-tap ${ut(u)} ${u===e?"chosen":""} ${x?"":"off"}`} role="button" tabindex="0"
          aria-pressed=${u===e} aria-label=${`Tap ${Ap(p)}: head ${u+1}, ${O(h,2)} away, ${y}`}
          onClick=${()=>n(u)} onKeyDown=${A=>A.key==="Enter"&&n(u)}>
          <rect class="cell" x=${$} y=${g} width=${o-3} height=${o-3} rx="5" />
          <rect class="share" x=${$} y=${g+o-3-v} width=${o-3} height=${v} rx="5" />
          <text class="name" x=${M} y=${g+(i?o*.4:(o-3)/2)} dy=${i?0:"0.36em"} text-anchor="middle">${u+1}</text>
          ${i&&d`<text class="away" x=${M} y=${g+o*.72} text-anchor="middle">${w}</text>`}
        </g>`})}
    </svg>
    <div>
      <p class="hint">Each tap of the smallest kernel, and the head nearest to it; filled by its weight there.</p>
      <p class=${t.is_bijection?"heads-yes":""} data-bijection=${t.is_bijection}>${t.is_bijection?"Every tap is the peak of one head: sharper heads tend to this convolution.":`${c.length} of ${s*r} taps ${c.length===1?"is":"are"} the peak of a head.`}</p>
    </div>
  </div>`}var Tp=(t,e)=>`${t} ${e}${t===1?"":"s"}`;function ti({found:{convolution:t,reason:e,h:n,w:s},isEven:r}){if(!t)return d`<p>There is no certificate: ${e}</p>`;let o=2*t.lipschitz,a=[["random inputs",t.measured,"measured"],["worst input",t.worst,"worst"],["certificate",t.bound,"bound"]].filter(([,p])=>p!==null),i=p=>Math.min(1,p/o),l=t.bound<=.01*t.lipschitz,c=l?"Proven: it is that convolution up to this error.":`Proven; the error never exceeds ${O(o)}.`,u=Math.max(...t.dilation)>1?`, dilated by ${t.dilation.join(" × ")}`:"";return d`
    <p>For inputs of norm 1, attention is within <b data-bound=${t.bound}>${O(t.bound)}</b> of a convolution with ${Tp(t.taps,"tap")} in
      a ${t.size[0]} × ${t.size[1]} kernel${u}.${" "}
      <span class=${l?"heads-yes":"hint"}>${c}</span></p>
    <table class="heads-bars"><tbody>
      ${a.map(([p,h,m])=>d`<tr><th scope="row">${p}</th>
        <td><svg width="120" height="10" aria-hidden="true">
          <rect class="rail" width="120" height="10" rx="3" /><rect class=${m} width=${120*i(h)} height="10" rx="3" />
        </svg></td>
        <td class="number" data-error=${m}>${O(h)}</td></tr>`)}
    </tbody></table>
    <p class="hint">${r?"Every head passes on the same share of what it sees.":"With the trained value projections of the last step."}
      ${t.scope==="inside"?d` All of this holds for pixels from which no target leaves the image: <b data-pixels>${t.pixels} of ${n*s}</b>.`:""}
      ${t.untried?` No inputs were tried: ${t.untried}.`:""}</p>
    <p class="hint">${t.sharpness===null?"No sharpness would bring it below 1 %: some centre lies half-way between two pixels.":d`Below 1 % at these centres: a precision of <b>${O(t.sharpness)}</b> for every head.`}</p>
    <details><summary>The certificate as the library prints it</summary><pre class="scrolls" tabindex="0">${t.text}</pre></details>`}var Ep={uniform:"weighs all pixels equally","one-hot":"sees only one pixel",border:"has its centre off the grid, and sees only the border",singular:"is so thin that it is a line"};function ei({found:t,onChoose:e}){let n=t.heads.flatMap((r,o)=>r.kinds.map(a=>[o,a])),s=r=>d`<button class="heads-name quiet" onClick=${()=>e(r)}><span class=${`heads-dot ${ut(r)}`} />Head ${r+1}</button>`;return t.unexamined?d`<p class="hint">Not checked: ${t.unexamined}.</p>`:!n.length&&!t.alike.length?d`<p class="hint">None: every head looks at a place of its own.</p>`:d`<ul class="heads-odd">
    ${n.map(([r,o])=>d`<li data-kind=${o}>${s(r)} ${Ep[o]}</li>`)}
    ${t.alike.map(r=>d`<li data-kind="alike">Heads ${r.map(o=>o+1).join(", ")} have the same map</li>`)}
  </ul>`}var ni={ArrowUp:[-1,0],ArrowDown:[1,0],ArrowLeft:[0,-1],ArrowRight:[0,1]};function ri({heads:t,side:e,margin:n,query:s,chosen:r,image:o,trail:a,at:i,onPlace:l,onNudge:c,onWiden:u,onChoose:p,onQuery:h}){let[m,f]=Q(),$=D(null),g=D(null),x=X(),b=Math.min(f,620)/(e+2*n),v=b*(e+2*n),y=S=>(S+n+.5)*b,w=S=>(S+n+.5)*b,M=S=>{let P=$.current.getBoundingClientRect();return[(S.clientY-P.top)/b-n-.5,(S.clientX-P.left)/b-n-.5]},A=S=>{let[P,L]=M(S).map(Math.round);Math.min(P,L)>=0&&Math.max(P,L)<e&&h([P,L])},z=(S,P)=>{S.preventDefault(),S.stopPropagation(),S.currentTarget.focus?.({preventScroll:!0}),S.currentTarget.setPointerCapture(S.pointerId),g.current=P},k={onPointerMove:S=>g.current?.(S),onPointerUp:()=>g.current=null,onPointerCancel:()=>g.current=null},_=S=>P=>{p(S);let[L,j]=M(P),[st,_t]=[t[S].centre[0]+s[0]-L,t[S].centre[1]+s[1]-j];z(P,Ke=>{let[ql,jl]=M(Ke);l(S,[ql+st-s[0],jl+_t-s[1]])})},T=S=>{let P=t[r].precision,L=st=>Math.max(Math.hypot(...M(st).map((_t,Ke)=>_t-t[r].centre[Ke]-s[Ke])),.1),j=L(S);z(S,st=>u(r,(j/L(st))**2,P))},N=S=>P=>{let L=ni[P.key],j={"+":1,"=":1,"-":-1,"−":-1}[P.key];if(L)c(S,L.map(st=>st*(P.shiftKey?1:.1)));else if(j)u(S,1.1**(-2*j));else return;P.preventDefault()},R=S=>{let P=ni[S.key];P&&(S.preventDefault(),h(s.map((L,j)=>Math.max(0,Math.min(e-1,L+P[j])))))},B=([S,P])=>[y(P+s[1]),w(S+s[0])].map(L=>Math.max(13,Math.min(v-13,L))),[E,C]=t[r]?B(t[r].centre):[];return d`<div class="heads-picture" ref=${m}>
    ${f>0&&d`<svg ref=${$} width=${v} height=${v} viewBox=${`0 0 ${v} ${v}`}
      role="group" aria-label="Heads around the query pixel" aria-describedby=${x} ...${k}>
      <g class="heads-pixels" onPointerDown=${S=>(A(S),g.current=A)}>
        <rect class="heads-board" x=${y(-.5)} y=${w(-.5)} width=${e*b} height=${e*b} />
        ${o&&Array.from(o,(S,P)=>S>0&&d`<rect class="heads-shade" width=${b} height=${b}
          x=${y(P%e-.5)} y=${w(Math.floor(P/e)-.5)} fill-opacity=${.3*S/255} />`)}
        ${Array.from({length:e+1},(S,P)=>d`
          <line x1=${y(P-.5)} x2=${y(P-.5)} y1=${w(-.5)} y2=${w(e-.5)} />
          <line y1=${w(P-.5)} y2=${w(P-.5)} x1=${y(-.5)} x2=${y(e-.5)} />`)}
      </g>
      <g aria-hidden="true" class="heads-ellipses">
        ${t.map((S,P)=>d`<${Op} head=${P} ...${S} query=${s} x=${y} y=${w} scale=${b} chosen=${P===r} />`)}
      </g>
      ${a&&d`<g aria-hidden="true" class=${`heads-trail ${ut(r)}`}>
        <polyline class="rest" points=${a.map(([S,P])=>`${y(P+s[1])},${w(S+s[0])}`).join(" ")} />
        <polyline points=${a.slice(0,Math.floor(i)+1).map(([S,P])=>`${y(P+s[1])},${w(S+s[0])}`).join(" ")} />
        <circle cx=${y(a[0][1]+s[1])} cy=${w(a[0][0]+s[0])} r="3" />
      </g>`}
      <g class="heads-query" tabindex="0" role="application" aria-roledescription="movable pixel" data-query=${s.join(",")}
        aria-label=${`The query pixel: row ${s[0]}, column ${s[1]}. Arrow keys move it.`}
        onKeyDown=${R} onPointerDown=${S=>z(S,A)}>
        <rect x=${y(s[1]-.5)} y=${w(s[0]-.5)} width=${b} height=${b} rx="3" />
        <circle cx=${y(s[1])} cy=${w(s[0])} r="3" />
      </g>
      ${t.map((S,P)=>d`<g class=${`heads-knob ${ut(P)}`} tabindex="0" role="application" aria-roledescription="movable head" data-head=${P}
        aria-label=${`Head ${P+1}: ${Pn(S.centre)}, width ${O(En(S.precision),2)}. Arrow keys move it, plus and minus change its width.`}
        onFocus=${()=>p(P)} onKeyDown=${N(P)} onPointerDown=${_(P)}>
        <${si} head=${P} at=${B(S.centre)} />
      </g>`)}
      ${t[r]&&d`<g class=${`heads-knob chosen ${ut(r)}`} aria-hidden="true"><${si} head=${r} at=${[E,C]} /></g>
        <${Pp} precision=${t[r].precision} cx=${E} cy=${C} scale=${b} size=${v} onGrab=${T} />`}
    </svg>`}
    <p id=${x} class="unseen">Tab to a head; arrow keys move it by a tenth of a pixel, with Shift by a whole one; plus and minus change its width.</p>
  </div>`}function Op({head:t,centre:e,precision:n,query:s,x:r,y:o,scale:a,chosen:i}){let[l,c]=[r(e[1]+s[1]),o(e[0]+s[0])],u=(p,h)=>{let{long:m,short:f,angle:$}=me(n,p);return d`<ellipse class=${h} rx=${m*a} ry=${f*a} stroke-dasharray=${h==="half"?On(t):null}
      fill-opacity=${i?.22:Math.min(.12,.3/m)}
      transform=${`translate(${l},${c}) rotate(${$*180/Math.PI})`} />`};return d`<g class=${`${ut(t)} ${i?"chosen":""}`}>${u(.9,"most")}${u(.5,"half")}</g>`}var si=({head:t,at:[e,n]})=>d`<circle cx=${e} cy=${n} r="10" /><text x=${e} y=${n} dy="0.36em" text-anchor="middle">${t+1}</text>`;function Pp({precision:t,cx:e,cy:n,scale:s,size:r,onGrab:o}){let{long:a,angle:i}=me(t,.5),l=Math.max(a*s,19),c=($,g)=>Math.min($,g)>6&&Math.max($,g)<r-6,u=[i,i+Math.PI].map($=>{let g=l;for(;g>19&&!c(e+g*Math.cos($),n+g*Math.sin($));)g-=4;return[Math.max(g,19),$]}),[p,h]=u[0][0]>=u[1][0]?u[0]:u[1],[m,f]=[e+p*Math.cos(h),n+p*Math.sin(h)];return d`<g class="heads-handle" aria-hidden="true" data-handle onPointerDown=${o}>
    <circle class="room" cx=${m} cy=${f} r="14" /><rect x=${m-5} y=${f-5} width="10" height="10" rx="2" />
  </g>`}var Ie=74;function oi({record:t,at:e,layer:n,onChange:s}){let r=Math.max(t.side/2,Math.min(t.side,t.centres.reduce((l,c)=>Math.max(l,Math.abs(c)),0))),o=Ie/(2*r+2),a=D(null),i=l=>{let c=he(l,n,t.layers);c!==null&&(s(c),a.current.children[c].focus())};return d`<div class="heads-layers" role="group" aria-label="Layer" ref=${a}>
    ${Array.from({length:t.layers},(l,c)=>d`<button aria-pressed=${c===n} aria-label=${`Layer ${c+1}`}
      onClick=${()=>s(c)} onKeyDown=${i}>
      <svg viewBox=${`${-Ie/2} ${-Ie/2} ${Ie} ${Ie}`} aria-hidden="true">
        <rect class="heads-here" x=${-o/2} y=${-o/2} width=${o} height=${o} />
        ${Fe(t,e,c).map(({centre:u,precision:p},h)=>{let{long:m,short:f,angle:$}=me(p,.5);return d`<ellipse class=${ut(h)} stroke-dasharray=${On(h)&&"3 2"} rx=${Math.max(m*o,1.5)} ry=${Math.max(f*o,1.5)}
            transform=${`translate(${u[1]*o},${u[0]*o}) rotate(${$*180/Math.PI})`} />`})}
      </svg>
      <span>Layer ${c+1}</span>
    </button>`)}
  </div>`}function ai(t,e,n){let[s,r]=q(null),o=D(null);o.current={index:e,onStep:n};let a=s!==null,i=t-1;return I(()=>{if(!a)return;let u=o.current.index>=i?0:o.current.index,p=Math.min(400,Math.max(40,7e3/Math.max(i,1))),h=null,m=o.current.index,f=g=>{h??=g;let x=Math.min(i,u+(g-h)/p);Math.floor(x)!==m&&o.current.onStep(m=Math.floor(x)),r(x>=i?null:x),x<i&&($=requestAnimationFrame(f))},$=requestAnimationFrame(f);return()=>cancelAnimationFrame($)},[a,i]),{at:s,isPlaying:a,toggle:()=>{Lt()?n(e>=i?0:e+1):r(a?null:e>=i?0:e)},stop:()=>r(null)}}function ii({record:t,index:e,playing:n,onStep:s}){let[r,o]=Q(),a=t.steps.length-1,[i,l]=Object.entries(t.curves)[0]??[],c=58,[u,p]=[8,o-8],h=y=>u+(p-u)*y/Math.max(a,1),m=(l??[]).filter(y=>y!==null),[f,$]=i==="accuracy"?[0,1]:[Math.min(...m),Math.max(...m)],g=y=>c-6-(c-12)*(y-f)/($-f||1),x=Le().defined(y=>y!==null).x((y,w)=>h(w)).y(g),b=Lt()?"Next step":n.isPlaying?"Pause":"Play",v=Object.entries(t.curves).map(([y,w])=>[y.replace("_"," "),w[e]]).filter(([y,w])=>w!==null&&y!=="loss").map(([y,w],M)=>d`${M?" · ":""}${y} <b data-curve=${y}>${y==="accuracy"?`${(100*w).toFixed(1)} %`:O(w)}</b>`);return d`<div class="heads-course" ref=${r}>
    <div class="heads-transport" data-unpictured><button class="main" onClick=${n.toggle}>${b}</button><span class="hint">${Lt()?"":"or the space bar"}</span></div>
    <${et} label="Step" value=${e} min=${0} max=${a} step=${1} says=${y=>t.steps[y].toLocaleString("en")} onChange=${s} />
    ${l&&o>0&&d`<svg width=${o} height=${c} role="img" aria-label=${`${i} over training: ${O(m[0])} to ${O(m.at(-1))}`}>
      <line class="base" x1=${u} x2=${p} y1=${c-6} y2=${c-6} />
      <path class="curve curve-1" d=${x(l)} />
      <line class="mark" x1=${h(n.at??e)} x2=${h(n.at??e)} y1="2" y2=${c-6} />
      ${l[e]!==null&&d`<circle class="dot curve-1" cx=${h(e)} cy=${g(l[e])} r="3.5" />`}
    </svg>`}
    <p class="hint heads-read">${v.length?v:e===0&&l?"before training":null}</p>
  </div>`}var Lp=4,Qs=t=>Number(t.toFixed(2)),zp={run:null,training:null,layer:0,step:null,moved:{},query:null,head:0,values:"even",image:!0},li=t=>typeof t=="string"?t:null;function Rp({ask:t,state:e,change:n,place:s}){let r={...e,run:li(e.run),training:li(e.training)},o=G(t,"recorded",{}),a=o.response?.trainings??[],i=f=>f.run===r.run&&(r.training===null||f.training===r.training),l=r.run===null?a[0]:a.find(i),c=o.response&&a.some(f=>f.run===r.run)&&r.training,u=l?{run:l.run,training:l.training}:c?{run:r.run,training:r.training}:null,p=G(t,"heads",u),h=K(()=>p.response&&Va(p.response),[p.response]);if(!h){let f=o.response&&!a.length&&"No training has recorded gaussian heads yet: run regard train digits-gaussian.",$=o.response&&!u&&!f&&`The run ${r.run} has recorded no gaussian heads; choose another.`,g=u??{run:r.run,training:""};return d`<${W} error=${o.error??p.error??(f||$||null)} waiting=${o.waiting||p.waiting}>reading the recording …<//>
      ${(p.error||$)&&a.length>0&&d`<${ci} trainings=${[g,...a]} request=${g} change=${n} />`}`}let m={ask:t,change:n,place:s,record:h,trainings:a,request:u,hasValues:l?.has_values??!1,error:p.error};return d`<${qp} ...${m} state=${Dp(r,h)} />`}function Dp(t,{side:e,layers:n,heads:s,entries:r}){let o=([a,i])=>/^\d+\.\d+$/.test(a)&&Array.isArray(i)&&i.length===2+r&&i.every(Number.isFinite)&&i.slice(0,2).every(l=>Math.abs(l)<=200)&&Xa(i.slice(2));return{...t,layer:ee(t.layer,0,n-1,0),head:ee(t.head,0,s-1,0),query:cn(t.query,0,e-1),moved:Object.fromEntries(Object.entries(t.moved).filter(o)),step:Number.isFinite(t.step)?t.step:null}}function qp({ask:t,state:e,change:n,place:s,record:r,trainings:o,request:a,hasValues:i,error:l}){let c=D(null),u=r.steps.length-1,{layer:p,head:h}=e,m=e.step===null?u:Math.max(0,r.steps.findLastIndex(L=>L<=e.step)),f=e.query??[r.side>>1,r.side>>1],$=L=>n({step:L===u?null:r.steps[L]}),g=ai(r.steps.length,m,$),x=(L,j)=>Fe(r,j,L).map((st,_t)=>jp(st,e.moved[`${L}.${_t}`])),b=x(p,m),[v,y]=Fp(g.at===null?b:x(p,g.at)),w=e.values==="trained"&&i?{...a,layer:p}:null,M=L=>({centres:x(L,m).map(j=>j.centre),precisions:x(L,m).map(j=>j.precision),h:r.side,w:r.side,query:f,values:w&&{...w,layer:L}}),A=gt(t,"kernel",M(p)),z=A.error?null:A.response,k=z?.header.heads.length===r.heads?z.header:null,_=k&&new Float32Array(z.data,z.offset,k.heads.length*k.h*k.w),T=Ip({state:e,change:n,record:r,layer:p,resting:b,found:k,glide:y}),N=b.every((L,j)=>e.moved[`${p}.${j}`])?b[h].precision[0]:null,R=Object.keys(e.moved).some(L=>L.startsWith(`${p}.`)),B=R&&e.moved[`${p}.${h}`]?null:r.steps.map((L,j)=>Fe(r,j,p)[h].centre),E=L=>{L.key!==" "||L.defaultPrevented||L.target.closest("button, select, summary, [role=button], input:not([type=range])")||(L.preventDefault(),g.toggle())},C=()=>[["recorded",{}],["heads",a],...Array.from({length:r.layers},(L,j)=>["kernel",M(j)])],S=()=>Bp(r,b,k,_),P=L=>n({query:L});return d`<div class="heads-frame" ref=${c}><div class="heads" onKeyDown=${E}>
    <div class="heads-left">
      <${F} title="Training">
        <div class="stack">
          <${Pt} place=${s} what="choose another run"><${ci} trainings=${o} request=${a} change=${n} /><//>
          <${oi} record=${r} at=${g.at??m} layer=${p} onChange=${L=>n({layer:L})} />
          <${ii} record=${r} index=${m} playing=${g} onStep=${L=>(g.stop(),$(L))} />
        </div>
      <//>
      <div class="heads-below" data-unpictured><${F} title="Try it">
        <div class="stack heads-try">
          <${Nt} onClick=${T.convolve} off=${!k}>Make it a convolution<//>
          ${N!==null&&d`<${et} label="Sharpness" value=${Math.log10(N)} min=${-1} max=${1.5} step=${.02}
            says=${L=>O(10**L,2)} onChange=${L=>T.sharpen(Number((10**L).toPrecision(3)))} />`}
          <${Nt} onClick=${T.back} off=${!R}>Back to the training<//>
          ${i&&d`<${nt} label="Values" value=${e.values} options=${[["even","even"],["trained","as trained"]]}
            onChange=${L=>n({values:L})} />`}
          ${r.image&&d`<${mt} label="Show the image" value=${e.image} onChange=${L=>n({image:L})} />`}
        </div>
      <//></div>
    </div>
    <div class="heads-main">
      <${F} title=${`Layer ${p+1}, step ${r.steps[m].toLocaleString("en")}${R?", heads moved":""}`}
        actions=${d`<${at} name="heads" of=${c} numbers=${S} saves=${C} ask=${t} view="heads" state=${e} place=${s} />`}>
        <p class="note">Each head looks at its centre, relative to the framed query pixel: half of its weight lies in the strong
          ellipse, nine tenths in the faint one.</p>
        <${ri} heads=${v} side=${r.side} margin=${Ja(r,p)} query=${f} chosen=${h}
          image=${e.image?r.image:null} trail=${B} at=${g.at??m}
          onPlace=${T.place} onNudge=${T.nudge} onWiden=${T.widen} onChoose=${T.choose} onQuery=${P} />
        <${Wp} head=${h} one=${b[h]} edits=${T} isRound=${r.entries===1} />
        <p class="hint heads-how" data-unpictured>Drag a head or its handle; click a pixel to move the query. Or tab to them and use the arrow keys, + and −.</p>
        <${W} error=${l} />
      <//>
      ${k&&d`<${F} title="Degenerate heads"><${ei} found=${k} onChoose=${T.choose} /><//>`}
    </div>
    <div class="heads-right">
      ${k?d`
          <${F} title=${d`<span class=${`heads-dot ${ut(h)}`} />Head ${h+1} from the query`}>
            <${Qa} found=${k} maps=${_} head=${h} ...${b[h]} onQuery=${P} />
          <//>
          <${F} title="The kernel that the heads make">
            <${Za} found=${k} chosen=${h} onChoose=${T.choose} />
          <//>
          <${F} title="Distance to a true convolution"><${ti} found=${k} isEven=${w===null} /><//>`:d`<${F} title="The kernel that the heads make">${s==="file"?d`<p class="hint">The saved file does not hold what these heads make; regard explore computes it.</p>`:d`<${W} error=${A.error} waiting=${A.waiting} />`}<//>`}
    </div>
  </div></div>`}var jp=(t,e)=>e?{centre:e.slice(0,2),precision:e.slice(2)}:t;function Fp(t){let[e,n]=q(1),s=D(t),r=e<1&&s.current.length===t.length?t.map((i,l)=>Js(s.current[l],i,e*e*(3-2*e))):t,o=e<1;return I(()=>{if(!o)return;let i=null,l=u=>{i??=u;let p=Math.min(1,(u-i)/380+.001);n(p),p<1&&(c=requestAnimationFrame(l))},c=requestAnimationFrame(l);return()=>cancelAnimationFrame(c)},[o]),[r,()=>{Lt()||(s.current=r,n(0))}]}function Ip({state:t,change:e,record:n,layer:s,resting:r,found:o,glide:a}){let i=D(null);i.current={moved:t.moved,resting:r};let l=(h,m)=>{let f={...i.current.moved,[`${s}.${h}`]:[...m.centre,...m.precision]};i.current={moved:f,resting:i.current.resting.map(($,g)=>g===h?m:$)},e({moved:f,head:h})},c=1.5*n.side,u=(h,m)=>l(h,{...i.current.resting[h],centre:m.map(f=>Qs(Math.max(-c,Math.min(c,f))))}),p=h=>({...t.moved,...Object.fromEntries(r.map((m,f)=>[`${s}.${f}`,h(m,f)]))});return{choose:h=>e({head:h}),place:u,nudge:(h,m)=>u(h,i.current.resting[h].centre.map((f,$)=>f+m[$])),widen:(h,m,f)=>l(h,{...i.current.resting[h],precision:Ga(f??i.current.resting[h].precision,m)}),sharpen:h=>e({moved:p(m=>[...m.centre,...Ys(n.entries,h)])}),convolve:()=>{a(),e({moved:p((h,m)=>[...o.heads[m].tap??h.centre,...Ys(n.entries,Lp)])})},back:()=>{a(),e({moved:Object.fromEntries(Object.entries(t.moved).filter(([h])=>!h.startsWith(`${s}.`)))})}}}function ci({trainings:t,request:e,change:n}){let s=({run:i,training:l})=>JSON.stringify([i,l]),o=[...new Set(t.map(i=>i.run))].map(i=>[i,t.filter(l=>l.run===i).map(l=>[s(l),`${l.run} · ${l.training}`])]),a=i=>{let[l,c]=JSON.parse(i);n({run:l,training:c,step:null,moved:{},layer:0,head:0,query:null})};return d`<${ot} label="Run" hidden value=${s(e)} options=${o} onChange=${a} />`}function Wp({head:t,one:e,edits:n,isRound:s}){let r=o=>a=>n.place(t,e.centre.map((i,l)=>l===o?a:i));return d`<div class="heads-numbers">
    <span><span class=${`heads-dot ${ut(t)}`} />Head ${t+1}</span>
    <label>row <${pe} label=${`Row of head ${t+1}'s centre`} value=${Qs(e.centre[0])} onChange=${r(0)} /></label>
    <label>column <${pe} label=${`Column of head ${t+1}'s centre`} value=${Qs(e.centre[1])} onChange=${r(1)} /></label>
    ${s&&d`<label>precision <${pe} label=${`Precision of head ${t+1}`} value=${Number(e.precision[0].toPrecision(3))} step=${.05}
      onChange=${o=>n.widen(t,o/e.precision[0],e.precision)} /></label>`}
  </div>`}function Bp(t,e,n,s){let r=[t.steps.length,t.layers,t.heads],o={steps:{shape:[t.steps.length],data:t.steps},centres:{shape:[...r,2],data:t.centres},precisions:{shape:[...r,t.entries],data:t.precisions},centre:{shape:[t.heads,2],data:e.flatMap(h=>h.centre)},precision:{shape:[t.heads,t.entries],data:e.flatMap(h=>h.precision)}};if(!n)return o;let{heads:a,h:i,w:l,convolution:c,kernel_size:u}=n,p=h=>[h,{shape:[],data:[c[h]]}];return{...o,maps:{shape:[a.length,i,l],data:s},kernel_size:{shape:[u.length],data:u},taps:{shape:[a.length,2],data:a.flatMap(h=>h.tap??[null,null])},tap_distances:{shape:[a.length],data:a.map(h=>h.distance)},peaks:{shape:[a.length,2],data:a.flatMap(h=>h.peak??[null,null])},softness:{shape:[a.length],data:a.map(h=>h.softness)},...c&&Object.fromEntries(["bound","worst","measured"].map(p))}}var ui={name:"heads",title:"Heads",about:"Gaussian heads on the grid of pixels: watch them learn where to look, move them, and see how close they are to a convolution.",state:zp,View:Rp};var Hp=24*2**20,Up="these maps are no longer in memory";function Kp({header:t,data:e,offset:n}){let s=t.shape[0]*t.shape[1];return t.type==="float32"?new Float32Array(e,n,s):t.type==="float16"?Float32Array.from(new Float16Array(e,n,s)):Float32Array.from(new Uint8Array(e,n,s),r=>(r/255)**2)}var Zs=class{responses=new Map;size=0;get(e){let n=this.responses.get(e);return n&&(this.responses.delete(e),this.responses.set(e,n)),n}put(e,n){this.responses.set(e,n),this.size+=n.data.byteLength;for(let[s,r]of this.responses){if(this.size<=Hp||this.responses.size===1)break;this.responses.delete(s),this.size-=r.data.byteLength}}};function tr(t,e,n,s){let r=D(null);r.current??=new Zs;let o=D({response:null,of:null}),a=D({of:null,error:null}),[,i]=q(0),l=()=>i(h=>h+1),c=n&&JSON.stringify(n),u=c&&r.current.get(c);u?o.current={response:u,of:n.key}:n&&o.current.of!==n.key&&(o.current={response:null,of:null}),I(()=>{if(!c||r.current.get(c))return;let h=new AbortController,m=()=>t(e,JSON.parse(c),{signal:h.signal});return m().catch(async f=>{if(!f.message?.startsWith(Up))throw f;return await t("maps",s,{signal:h.signal}),m()}).then(f=>(r.current.put(c,f),l()),f=>$t(f)||(a.current={of:c,error:f.message},l())),()=>h.abort()},[t,e,c]);let p=a.current.of===c?a.current.error:null;return{response:c&&!p?o.current.response:null,error:p,waiting:!!c&&!u&&!p}}function Qt(t,e,n){let{response:s,error:r,waiting:o}=tr(t,"tile",e,n),a=K(()=>s&&Kp(s),[s]);return{tile:s&&{...s.header,weights:a},error:r,waiting:o}}function pi(t,e,n){let{response:s,error:r,waiting:o}=tr(t,"overview",e,n);return{thumbs:K(()=>{if(!s)return null;let i=s.offset;return s.header.shapes.map(([l,c,u],p)=>Array.from({length:l},(h,m)=>{let f=new Uint8Array(s.data,i,c*u);return i+=c*u,{bytes:f,rows:c,columns:u,limit:s.header.limits[p][m]}}))},[s]),error:r,waiting:o}}function hi(t,e,n){let{response:s}=tr(t,"picture",e,n);return K(()=>{if(!s)return null;let{height:r,width:o}=s.header,a=new Uint8Array(s.data,s.offset,3*r*o),i=new ImageData(o,r);for(let l=0;l<r*o;l++){for(let c=0;c<3;c++)i.data[4*l+c]=a[3*l+c];i.data[4*l+3]=255}return i},[s])}function Ln(t,e=8){return Array.from(t.keys()).sort((s,r)=>t[r]-t[s]).slice(0,e).filter(s=>t[s]>0)}var zn=18,Dt=48;function mi({weights:t,rows:e,columns:n,rowNames:s,columnNames:r,first:o=0,start:a=0,width:i,pinned:l,limit:c,label:u,onPoint:p,onPin:h}){let m=X(),[f,$]=q(null),g=f??(l!==null&&l>=o&&l<o+e?l-o:null),x=Math.max(220,Math.min(i,640)),[b,v]=[x*.34,x*.66],y=zn*Math.max(e,n)+8,w=Math.max(.02,c*.08),M=[];for(let E=0;E<e;E++)if(!(g!==null&&E!==g))for(let C=0;C<n;C++){let S=t[E*n+C];Math.abs(S)>=(g===null?w:.002)&&M.push([E,C,S])}let A=E=>4+zn*(E+.5),z=E=>($(E),p(E===null?null:E)),k=E=>{let C={ArrowUp:-1,ArrowDown:1,Home:-e,End:e}[E.key];C?(E.preventDefault(),z(g===null?0:Math.max(0,Math.min(e-1,g+C)))):(E.key==="Enter"||E.key===" ")&&g!==null?(E.preventDefault(),h(g)):E.key==="Escape"&&z(null)},_=(E,C)=>(E?.[C]??String(C+1)).slice(0,22),T=g===null?null:Math.max(...Array.from({length:n},(E,C)=>t[g*n+C])),N=M.slice().sort((E,C)=>C[2]-E[2]).slice(0,3).map(([,E,C])=>`${_(r,E)} ${O(C)}`),R=g===null?`${e} tokens on the left, ${n} on the right; use the up and down keys to move, Enter to pin`:`${_(s,g)} looks at ${N.join(", ")}`,B=E=>Math.min(1,.08+Math.sqrt(Math.abs(E)/Math.max(c,Math.abs(E)))*(g===null?.7:.9));return d`<div class="maps-lines" tabindex="0" role="application" aria-roledescription="lines between tokens" aria-label=${u} aria-describedby=${m}
    onKeyDown=${k} onBlur=${()=>z(null)} onPointerLeave=${()=>z(null)}>
    <svg width=${x} height=${y} aria-hidden="true">
      <g>${M.map(([E,C,S])=>d`<path d=${`M${b} ${A(E)}C${x/2} ${A(E)} ${x/2} ${A(C)} ${v} ${A(C)}`}
        class=${S<0?"less":""} stroke-width=${.6+3.4*Math.sqrt(Math.abs(S))} stroke-opacity=${B(S)} />`)}</g>
      ${Array.from({length:e},(E,C)=>d`<g class=${`token${C===g?" now":g===null?"":" off"}`}
        onPointerEnter=${()=>z(C)} onClick=${()=>h(C)}>
        <rect x="0" y=${A(C)-zn/2} width=${b} height=${zn} /><text x=${b-8} y=${A(C)} dy="0.35em"
          text-anchor="end">${_(s,C)}</text></g>`)}
      ${Array.from({length:n},(E,C)=>{let S=g===null?null:t[g*n+C];return d`<g class=${`token key${S!==null&&Math.abs(S)<.002?" off":""}${S!==null&&S===T?" now":""}`}>
          <text x=${v+8} y=${A(C)} dy="0.35em">${_(r,C)}</text>
          ${S!==null&&Math.abs(S)>=.002&&d`<text class="weight" x=${x-4} y=${A(C)} dy="0.35em"
            text-anchor="end">${O(S)}</text>`}</g>`})}
    </svg>
    <span id=${m} class="unseen" aria-live="polite">${R}</span>
  </div>`}function fi(t,e,n){return[...n&&t>0?[58,92,224]:[240,120,30],Math.round(235*Math.min(1,Math.sqrt(Math.abs(t)/e)))]}function Vp({most:t,signed:e}){let n=D(null);return it(()=>{[n.current.width,n.current.height]=[128,1];let s=new ImageData(128,1),r=e?-t:0;for(let o=0;o<128;o++)s.data.set(fi(r+(t-r)*o/127,t,e),4*o);n.current.getContext("2d").putImageData(s,0,0)},[t,e]),d`<div class="legend maps-veil"><span>${e?O(-t,2):0}</span><canvas ref=${n} aria-hidden="true"></canvas>
    <span>${O(t,2)}</span><span class="of">${e?"first minus second":"weight"}</span></div>`}function $i({image:t,weights:e,count:n,first:s,grid:r,query:o,limit:a,signed:i,side:l=400,label:c,onQuery:u,onPoint:p}){let h=lt(),[m,f]=[D(null),D(null)],$=X(),[g,x]=q(null),[b,v]=r,y=Math.min(l/b,l/v),[w,M]=[y*v,y*b],A=e.subarray(o*n,(o+1)*n),z=a??Math.max(...A.subarray(s),1e-9);it(()=>{[m.current.width,m.current.height]=[t.width,t.height],m.current.getContext("2d").putImageData(t,0,0)},[t]),it(()=>{[f.current.width,f.current.height]=[v,b];let E=new ImageData(v,b);for(let C=0;C<b*v;C++)E.data.set(fi(A[s+C],z,i),4*C);f.current.getContext("2d").putImageData(E,0,0)},[e,o,r,z,i,h]);let k=E=>{let C=f.current.getBoundingClientRect(),[S,P]=[Math.floor((E.clientY-C.top)/C.height*b),Math.floor((E.clientX-C.left)/C.width*v)];return S>=0&&P>=0&&S<b&&P<v?s+S*v+P:null},_=E=>(x(E),p(E===null?null:[o,E])),T=E=>{let C={ArrowUp:-v,ArrowDown:v,ArrowLeft:-1,ArrowRight:1}[E.key];if(!C)return;E.preventDefault();let P=(o<s?s:o)+C;P>=s&&P<n&&(x(null),u(P))},N=E=>E<s?"the class token":`row ${Math.floor((E-s)/v)+1}, column ${(E-s)%v+1}`,R=(E,C)=>E>=s&&d`<rect class=${C} x=${(E-s)%v*y}
    y=${Math.floor((E-s)/v)*y} width=${y} height=${y} />`,B=A.indexOf(Math.max(...A));return d`<div class="maps-patches" tabindex="0" role="application" aria-roledescription="picture of patches" aria-label=${c} aria-describedby=${$}
    style=${{width:`${w}px`,height:`${M}px`}} onKeyDown=${T} onPointerMove=${E=>_(k(E))} onPointerLeave=${()=>_(null)}
    onClick=${E=>k(E)!==null&&u(k(E))}>
    <canvas ref=${m} class=${t.width<64?"coarse":""}></canvas><canvas ref=${f} class="coarse"></canvas>
    <svg width=${w} height=${M} aria-hidden="true">${g!==null&&R(g,"pointed")}${R(o,"query")}</svg>
    <span id=${$} class="unseen" aria-live="polite">${N(o)} looks most at ${N(B)}, ${O(A[B])}; the arrow keys choose the patch that looks</span>
  </div><${Vp} most=${z} signed=${i} />`}var[Zt,fe,di]=[26,22,4];function er({thumbs:t,minus:e,colour:n,layer:s,head:r,onChoose:o,label:a,width:i}){let l=lt(),c=D(null),u=X(),[p,h]=q(null),m=Math.max(...t.map(w=>w.length)),f=Math.max(18,Math.min(84,Math.floor((i-Zt)/m)-di)),$=f+di,[g,x]=[Zt+m*$,fe+t.length*$];it(()=>{let w=Math.min(2,globalThis.devicePixelRatio||1),M=c.current;M.width=Math.round(m*$*w),M.height=Math.round(t.length*$*w);let A=M.getContext("2d");A.scale(w,w),t.forEach((z,k)=>z.forEach((_,T)=>{let N=e?.[k]?.[T],R=N?Jp(_,N):Gp(_,n);A.imageSmoothingEnabled=_.columns>f*w,A.drawImage(R,T*$,k*$,f,f)}))},[t,e,n,f,l]);let b=w=>{let M=c.current.getBoundingClientRect(),[A,z]=[Math.floor((w.clientY-M.top)/$),Math.floor((w.clientX-M.left)/$)];return A>=0&&z>=0&&t[A]?.[z]?[A,z]:null},v=w=>{let M={ArrowUp:[-1,0],ArrowDown:[1,0],ArrowLeft:[0,-1],ArrowRight:[0,1],Home:[0,-r],End:[0,m]}[w.key];if(!M||!o)return;w.preventDefault();let A=Math.max(0,Math.min(t.length-1,s+M[0]));o(A,Math.max(0,Math.min(t[A].length-1,r+M[1])))},y=([w,M],A)=>d`<rect class=${A} x=${Zt+M*$-2} y=${fe+w*$-2} width=${f+4} height=${f+4} rx="4" />`;return d`<div class="maps-overview" style=${{width:`${g}px`,height:`${x}px`}} tabindex="0" role="application"
    aria-roledescription="grid of heads" aria-label=${a} aria-describedby=${u} data-heads=${`${t.length}x${m}`} onKeyDown=${v}
    onPointerMove=${w=>h(b(w))} onPointerLeave=${()=>h(null)}
    onClick=${w=>b(w)&&o?.(...b(w))} aria-disabled=${o?null:"true"}>
    <canvas ref=${c} style=${{left:`${Zt}px`,top:`${fe}px`,width:`${m*$}px`,height:`${t.length*$}px`}}></canvas>
    <svg width=${g} height=${x} aria-hidden="true">
      ${t.map((w,M)=>d`<text class=${M===s?"now":""} x=${Zt-8} y=${fe+M*$+f/2} dy="0.35em"
        text-anchor="end">${M+1}</text>`)}
      ${Array.from({length:m},(w,M)=>d`<text class=${M===r?"now":""} x=${Zt+M*$+f/2} y=${fe-8}
        text-anchor="middle">${M+1}</text>`)}
      ${t.map((w,M)=>w.map((A,z)=>d`<rect class="cell" x=${Zt+z*$-.5} y=${fe+M*$-.5} width=${f+1}
        height=${f+1} rx="2" />`))}
      ${p&&o&&y(p,"pointed")}${y([s,r],"chosen")}
    </svg>
    <span id=${u} class="unseen"
      aria-live="polite">layer ${s+1} of ${t.length}, head ${r+1} of ${t[s]?.length}${o?"; use the arrow keys to move":""}</span>
  </div>`}var Xp=()=>globalThis.document.createElement("canvas");function Gp({bytes:t,rows:e,columns:n,limit:s},r){let o=new Uint32Array(Ht("weight").buffer),a=r==="own"&&s>0?1/Math.sqrt(s):1,i=Uint32Array.from({length:256},(l,c)=>o[Math.min(255,Math.round(c*a))]);return gi(e,n,l=>i[t[l]])}function Jp(t,e){let n=new Uint32Array(Ht("signed").buffer),s=Math.max(t.limit,e.limit,1e-6);return gi(t.rows,t.columns,r=>{let o=(t.bytes[r]/255)**2-(e.bytes[r]/255)**2;return n[Math.max(0,Math.min(255,Math.round(255*(.5+o/s/2))))]})}function gi(t,e,n){let s=Xp();[s.width,s.height]=[e,t];let r=new ImageData(e,t),o=new Uint32Array(r.data.buffer);for(let a=0;a<o.length;a++)o[a]=n(a);return s.getContext("2d").putImageData(r,0,0),s}var Ct=40;function bi({ask:t,sides:e,heads:n,kind:s,layer:r,head:o,state:a,change:i,actions:l,differs:c,isFile:u,isLarge:p}){let[h,m]=Q(),[f,$]=q(null),[g,x]=n.map(({tile:S})=>S),b=!!e[1].maps,[v,y]=e,w=s.layers[r].grid,M=e.map(({maps:S,request:P})=>hi(t,S?.pictured?{key:S.key}:null,P));I(()=>$(null),[v.maps?.key,y.maps?.key,s.name]);let A=g&&x&&String(g.shape)===String(x.shape),z=b&&a.compare==="difference",k=K(()=>z&&A?Zp(g.weights,x.weights):null,[z,g?.weights,x?.weights]),_=[...w&&M[0]?[["picture","Picture"]]:[],["matrix","Matrix"],["lines","Lines"]],T=_.some(([S])=>S===a.show)?a.show:_[0][0],N=`Layer ${r+1}, head ${o+1}`,R={kind:s,layer:r,head:o,state:a,change:i,show:T,setPoint:$,grid:w,near:a.near,isFile:u},B=Math.max(g?.limit??0,b&&x?.limit||0),E=Math.max(160,b&&!z?(m-24)/2:m),C=z&&g&&x&&!A;return d`<${F} title=${N} class="maps-head" actions=${d`<div class="row maps-nameless">${_.length>1&&d`<fieldset
    class="maps-held" disabled=${u&&p}><${nt} label="Show as" value=${T} options=${_}
      onChange=${S=>i({show:S})} /></fieldset>`}${l}</div>`}>
    <div ref=${h} class="maps-pair">
      ${g&&m>0&&(z&&!C?k&&d`<${nr} tile=${{...g,weights:k,limit:th(k)}} signed maps=${v.maps} image=${M[0]}
          width=${E} name="First minus second" ...${R} />`:d`<${nr} tile=${{...g,limit:B}} maps=${v.maps} image=${M[0]} width=${C?(m-24)/2:E}
          name=${b?"First":null} ...${R} />
            ${b&&x&&d`<${nr} tile=${{...x,limit:B}} maps=${y.maps} image=${M[1]}
              width=${C?(m-24)/2:E} name="Second" ...${R} />`}`)}
    </div>
    ${C&&d`<p class="hint maps-refused">
      A difference needs maps of one shape: these are ${g.shape.join(" × ")} and ${x.shape.join(" × ")}, so they are shown side by side.</p>`}
    ${z&&!C&&c&&d`<p class="maps-warned" role="status">The two read different inputs: differences may
      come from the inputs, not from the model or its training.</p>`}
    <${W} error=${n[0].error??n[1].error} />
    ${g&&d`<${nh} ask=${t} layer=${r} head=${o} show=${T} point=${f??a.pin} pinned=${!f}
      tiles=${[g,b?x:null]} sides=${e} kind=${s} />
      ${[g,b?x:null].map((S,P)=>S&&d`<${sh} key=${P} ask=${t} maps=${e[P].maps} kind=${s} layer=${r}
        head=${o} grid=${w} of=${b?["First: a","Second: a"][P]:"A"} />`)}
      ${a.pin&&d`<${oh} ask=${t} sides=${e} kind=${s} layer=${r} head=${o} pin=${a.pin} isTwo=${b}
        onUnpin=${()=>(h.current.querySelector(".maps-one [tabindex='0']")?.focus(),i({pin:null}))} tiles=${[g,x]} />`}`}
  </${F}>`}function nr({tile:t,maps:e,image:n,width:s,name:r,signed:o,kind:a,layer:i,head:l,state:c,change:u,show:p,setPoint:h,grid:m,near:f,isFile:$}){let[g,x]=t.shape,b=(N,R)=>e.axes[N]?e.axes[N].slice(R):null,[v,y]=[b(a.rows,t.rows[0]),b(a.columns,t.columns[0])],w=o?t.limit:c.colour==="own"&&t.limit||1,M=`weights of layer ${i+1}, head ${l+1}${r?`, ${r}`:""}: ${a.rows} by ${a.columns}`,A=(N,R)=>u({pin:[t.rows[0]+N*t.pool,R===null?null:t.columns[0]+R*t.pool]}),z=(N,R)=>h(N==null?null:[t.rows[0]+N*t.pool,t.columns[0]+R*t.pool]),k=c.pin&&c.pin[1]!==null?vi(c.pin,t):null,_=a.layers[i],T;if(p==="picture"&&m&&n&&!f){let N=Math.min(c.pin?.[0]??e.first+Math.floor(m[0]/2)*m[1]+Math.floor(m[1]/2),x-1);T=d`<${$i} image=${n} weights=${t.weights} count=${x} first=${e.first} grid=${m} query=${N}
      limit=${o||c.colour==="one"?w:null} signed=${o} side=${Math.min(s,440)} label=${M}
      onQuery=${R=>u({pin:[R,null]})} onPoint=${h} />
      ${e.first>0&&d`<button class="quiet" aria-pressed=${N<e.first}
        onClick=${()=>u({pin:[0,null]})}>From the class token</button>`}`}else if(p==="lines"){let N=g<_.rows||x<_.columns;T=d`${N&&d`<div class="row"><${xi} near=${f??[0,0]} whole=${_} change=${u} isFile=${$} fixed /></div>`}<${Qp}
      tile=${t} rowNames=${v} columnNames=${y} width=${s} limit=${o?t.limit:t.limit||1} label=${M} state=${c}
      pin=${A} pointed=${h} />`}else{let N=za(m?null:v?.slice(0,g),Math.max(g,x),s),R=Math.ceil(Math.max(g,x)/Math.max(N,64)),B=Ks(t.weights,g,x,R),E=m||R>1?[null,null]:[v?.slice(0,g),y?.slice(0,x)],C=(L,j)=>{let st=B.at?.[L*B.columns+j];return st?[Math.floor((st-1)/x),(st-1)%x]:[L*R,j*R]},S=(L,j)=>{let[st,_t]=C(L,j);return`${v?.[st*t.pool]??st+1} to ${y?.[_t*t.pool]??_t+1}: ${O(t.weights[st*x+_t])}`},P=d`<${wt} data=${B.data} rows=${B.rows} columns=${B.columns} scale=${o?"signed":"weight"} limit=${w}
      label=${M} side=${N} says=${S} rowNames=${E[0]} columnNames=${E[1]}
        chosen=${k?.map(L=>Math.floor(L/R))} onChoose=${(L,j)=>A(...C(L,j))}
        onPoint=${(L,j)=>L===null?z(null):z(...C(L,j))} />`;T=d`${P}
      <div class="row maps-under"><${de} scale=${o?"signed":"weight"} limit=${w}
        label=${o?"first minus second":w<.995?"and above":"weight"} />
        ${Math.max(_.rows,_.columns)>Ct&&d`<${xi} near=${f} whole=${_} pin=${c.pin} change=${u} isFile=${$} />`}</div>
      ${t.pool*R>1&&d`<p
        class="hint">Each pixel is the strongest of ${t.pool*R} × ${t.pool*R} weights; look closer to see each.</p>`}`}return d`<div class="maps-one">${r&&d`<h3>${r}</h3>`}${T}</div>`}function xi({isFile:t,...e}){return d`<fieldset class="maps-held row" disabled=${t}><${Yp} ...${e} /></fieldset>`}function Yp({near:t,whole:e,pin:n,change:s,fixed:r}){if(!t){let o=(a,i)=>Math.max(0,Math.min(i-Ct,Math.round((a??0)-Ct/2)));return d`<button onClick=${()=>s({near:[o(n?.[0],e.rows),o(n?.[1]??n?.[0],e.columns)]})}>Look closer</button>`}return d`${!r&&d`<button onClick=${()=>s({near:null})}>The whole map</button>`}
    <${et} label="Rows from" value=${t[0]+1} min=${1} max=${Math.max(1,e.rows-Ct+1)} step=${1}
      onChange=${o=>s({near:[o-1,t[1]]})} />
    <${et} label="Columns from" value=${t[1]+1} min=${1} max=${Math.max(1,e.columns-Ct+1)} step=${1}
      onChange=${o=>s({near:[t[0],o-1]})} />`}function Qp({tile:t,rowNames:e,columnNames:n,width:s,limit:r,label:o,state:a,pin:i,pointed:l}){let[c,u]=t.shape,[p,h]=q(0),m=Math.max(c,u),f=Math.min(p,Math.max(0,m-Dt)),$=y=>[Math.min(f,Math.max(0,y-Dt)),Math.min(f+Dt,y)],[g,x]=[$(c),$(u)],b=K(()=>{let y=new Float32Array((g[1]-g[0])*(x[1]-x[0]));for(let w=g[0];w<g[1];w++)y.set(t.weights.subarray(w*u+x[0],w*u+x[1]),(w-g[0])*(x[1]-x[0]));return y},[t.weights,g[0],g[1],x[0],x[1]]),v=y=>Ln(b.subarray(y*(x[1]-x[0]),(y+1)*(x[1]-x[0])),1)[0]??0;return d`${m>Dt&&d`<${et} label="Tokens from" value=${f+1} min=${1} max=${m-Dt+1} step=${1}
    onChange=${y=>h(y-1)} />`}
    <${mi} weights=${b} rows=${g[1]-g[0]} columns=${x[1]-x[0]} rowNames=${e?.slice(g[0])} columnNames=${n?.slice(x[0])}
      width=${s} limit=${r} label=${o}
      pinned=${a.pin?a.pin[0]-t.rows[0]-g[0]:null} first=${0}
      onPoint=${y=>l(y===null?null:[t.rows[0]+g[0]+y,t.columns[0]+x[0]+v(y)])} onPin=${y=>i(g[0]+y,x[0]+v(y))} />
    <p class="hint">${m>Dt?`${Dt} tokens of each side; f`:"F"}aint weights have no line.</p>`}var Zp=(t,e)=>t.map((n,s)=>n-e[s]),th=t=>t.reduce((e,n)=>Math.max(e,Math.abs(n)),1e-9);function vi([t,e],n){let[s,r]=[Math.floor((t-n.rows[0])/n.pool),Math.floor((e-n.columns[0])/n.pool)];return s>=0&&r>=0&&s<n.shape[0]&&r<n.shape[1]?[s,r]:null}var yi=(t,e,n)=>`${t.axes[e]?.[n]??""}`,Rn=(t,e,n,s)=>e.layers[0].grid||!t.axes[n]?yi(t,n,s)||`${n} ${s+1}`:`${yi(t,n,s)}`,eh={matrix:"Point at the map, or use the arrow keys; click or press Enter to pin.",lines:"Point at a token on the left, or use the arrow keys, to see its lines alone; click or press Enter to pin.",picture:"Click a patch, or use the arrow keys, to choose the patch that looks, which is framed. Point to read its weights."};function nh({ask:t,layer:e,head:n,show:s,point:r,pinned:o,tiles:a,sides:i,kind:l}){let c=i[0].maps,u=r&&r[1]!==null&&a[0].pool>1?a[0].pool:0,p=u?{rows:[r[0],r[0]+u],columns:[r[1],r[1]+u],most:16}:null,h=Qt(t,p&&{key:c.key,kind:l.name,layer:e,head:n,...p},i[0].request),m=Qt(t,p&&a[1]?{key:i[1].maps.key,kind:l.name,layer:e,head:n,...p}:null,i[1].request),f=h.tile&&r&&h.tile.rows[0]===r[0]&&h.tile.columns[0]===r[1];if(u&&f&&h.tile.pool===1){let y=Ln(h.tile.weights,1)[0]??0;r=[r[0]+Math.floor(y/h.tile.shape[1]),r[1]+y%h.tile.shape[1]],a=[h.tile,m.tile]}let $=r;if(!$||$[1]===null)return d`<p class="maps-reading hint">${eh[s]}</p>`;let g=a.map(y=>{let w=y&&vi($,y);return w?y.weights[w[0]*y.shape[1]+w[1]]:null}),x=[Rn(c,l,l.rows,$[0]),Rn(c,l,l.columns,$[1])],b=l.layers[0].grid?"":` (${$[0]+1} → ${$[1]+1})`,v=a[0].pool>1?", the largest around":"";return d`<p class="maps-reading" data-reading>${o?"Pinned: ":""}<b>${x[0]}</b> → <b>${x[1]}</b><span
    class="hint">${b}${v}</span>
    <span class="maps-number" data-weight=${g[0]}>${O(g[0],4)}</span>
    ${a[1]&&d`<span class="hint maps-and">second</span><span class="maps-number">${O(g[1],4)}</span>
      <span class="hint maps-and">difference</span><span class="maps-number">${g[1]===null?"–":O(g[0]-g[1],4)}</span>`}</p>`}function sh({ask:t,maps:e,kind:n,layer:s,head:r,grid:o,of:a}){let{response:i}=G(t,"facts",{key:e.key,kind:n.name,layer:s,head:r}),l=i&&n.rows===n.columns&&!o?`, ${O(i.distance,2)} tokens away on average`:"",c={float32:"",float16:" Weights are kept to 3 digits.",uint8:" Weights are kept to about 1/255 of their root."}[e.type],u=i&&`${a} query looks at about ${O(2**i.entropy,2)} tokens: ${O(i.entropy,3)} bits of entropy${l}.${c}`;return d`<p class="hint maps-facts" data-entropy=${i?.entropy}>${u??" "}</p>`}function rh(t,e,n){return!t||!e||t.pool>1||t.rows[0]>0||t.shape[0]<e.rows||t.shape[1]<e.columns||n>=e.rows?null:t.weights.subarray(n*t.shape[1],(n+1)*t.shape[1])}function oh({ask:t,sides:e,kind:n,layer:s,head:r,pin:o,isTwo:a,onUnpin:i,tiles:l}){let c=e.map(b=>b.maps?.kinds.find(v=>v.name===n.name)?.layers[s]),u=l.map((b,v)=>rh(b,c[v],o[0])),p=b=>{let v=e[b];return!u[b]&&c[b]&&o[0]<c[b].rows&&r<c[b].heads?{key:v.maps.key,kind:n.name,layer:s,head:r,rows:[o[0],o[0]+1],most:4096}:null},h=[Qt(t,p(0),e[0].request),Qt(t,a?p(1):null,e[1].request)],m=u[0]??h[0].tile?.weights;if(!m)return null;let f=a?u[1]??h[1].tile?.weights:null,$=e[0].maps,g=Ln(m),x=m[g[0]]||1;return d`<div class="maps-pinned">
    <div class="panel-head"><h3>What ${Rn($,n,n.rows,o[0])}${n.layers[0].grid?"":` (${o[0]+1})`} looks at most</h3>
      <button class="quiet" onClick=${i}>Unpin</button></div>
    <table class="lines" data-pinned=${o[0]}><thead><tr><th>Key</th><th class="number">Position</th><th class="number">Weight</th>${f&&d`<th
      class="number">Second</th>`}<th><span class="unseen">Bar</span></th></tr></thead>
      <tbody>${g.map(b=>d`<tr><td>${Rn($,n,n.columns,b)}</td><td class="number">${b+1}</td><td
        class="number">${O(m[b],4)}</td>
        ${f&&d`<td class="number">${b<f.length?O(f[b],4):"–"}</td>`}
        <td class="maps-bar"><span style=${{width:`${100*m[b]/x}%`}}></span></td></tr>`)}</tbody></table>
  </div>`}var ah=8*2**20;function wi(t,{model:e,text:n,target:s,image:r,step:o,picture:a},i){let l=Dn(t,e);if(!l)return null;let c={model:l.name};if(o!==null&&l.steps.includes(o))return{...c,step:o};if(l.takes==="image")return i.has(a)?{...c,picture:i.get(a)}:{...c,image:sr(l,r)};if(l.takes==="nothing")return c;let u=n??l.examples[0]??"";return l.takes==="pair"?{...c,text:u,target:s}:{...c,text:u}}var sr=(t,e)=>Math.max(0,Math.min(t.images-1,Math.round(e)||0));function Dn(t,e){if(!t?.length)return null;let n=t.find(s=>s.group==="Notebook"||s.group==="Model folders")??t.find(s=>s.group==="Shipped");return t.find(s=>s.name===e)??n??t[0]}function _i(t,{text:e,target:n,image:s,step:r,picture:o}){let a={model:t.name,text:e,target:n,image:s,step:r,picture:o},i=t.examples.find(u=>u!==(e??t.examples[0]));if(!t.steps.includes(r)&&(t.takes==="text"||t.takes==="pair"||e!==null)&&i!==void 0)return{...a,text:i,target:""};let c=t.steps.find(u=>u!==r);return c!==void 0?{...a,step:c}:{...a,image:ih(t,s,o),picture:""}}var ih=(t,e,n)=>n?e:(e+1)%Math.max(1,t.images);function or({request:t,maps:e}){if(!t||!e)return null;let n=e.axes.read??e.axes.tokens;return n?n.join(n.every(s=>[...s].length===1)?"":" ").replaceAll("␣"," "):e.pictured?t.picture??`image no. ${t.image??0}`:null}var lh=t=>t.length>240?`${t.slice(0,239)}…`:t;function ar({models:t,value:e,set:n,pictures:s,open:r,side:o,title:a,place:i}){let l=Dn(t,e.model),c=$=>t.filter(g=>g.group===$).map(g=>[g.name,g.label]),u=[...new Set(t.map($=>$.group))].map($=>[$,c($)]),p=e.step!==null&&l.steps.includes(e.step),h=$=>n({model:$,text:null,target:"",step:null}),m=o.maps?.caption,f=p&&o.isNow?or(o):null;return d`<div class="maps-input" role="group" aria-label=${a}>
    <div class="row">
      <${ot} label="Model" value=${l.name} options=${u} onChange=${h} />
      ${l.steps.length>0&&d`<${ot} label="Training" value=${p?e.step:""}
        onChange=${$=>n({step:$===""?null:Number($)})}
        options=${[["","done"],...l.steps.map($=>[$,`step ${$.toLocaleString("en")}, recorded`])]} />`}
      ${!p&&l.takes!=="image"&&l.examples.length>1&&d`<${ot} label="Try" value="" onChange=${$=>$&&n({text:$})}
        options=${[["","an example"],...l.examples.map($=>[$,$.replace(`
`," ").slice(0,40)])]} />`}
    </div>
    ${p||l.takes==="nothing"?null:l.takes==="image"?d`<${ch} one=${l} value=${e} set=${n} pictures=${s}
      open=${r} place=${i} />`:d`<${pt} label=${l.takes==="letters"?"A string of a, b, c and d":l.takes==="pair"?"Source":"Text"}
        value=${e.text??l.examples[0]??""}
          lines=${l.takes==="letters"?0:2} max=${4e4} onChange=${$=>n({text:$})} />`}
    ${!p&&l.takes==="pair"&&d`<${pt} label="Target (empty: what the model writes)" value=${e.target} lines=${2} max=${4e4}
      onChange=${$=>n({target:$})} />`}
    ${f&&d`<p>Reads ${l.takes==="image"?"the recorded image":d`<span class="maps-read">${lh(f)}</span>, as it was recorded`}.</p>`}
    ${m&&!(f&&m==="as recorded")&&d`<p class="hint">${m}</p>`}
  </div>`}function ch({one:t,value:e,set:n,pictures:s,open:r,place:o}){let a=X(),[i,l]=q(null),c=m=>{if(!m)return;if(m.size>ah)return l(`a picture must have at most 8 MB: this has ${(m.size/2**20).toFixed(1)} MB`);l(null);let f=new FileReader;f.onload=()=>r(m.name.slice(0,60),f.result.slice(f.result.indexOf(",")+1)),f.onerror=()=>l("this file cannot be read"),f.readAsDataURL(m)},u=sr(t,e.image),p=s.has(e.picture)?e.picture:"",h=m=>n({picture:"",image:sr(t,m)});return d`<div class="row">
    <div class="control"><label for=${a}>Test image no.</label>
      <input id=${a} type="number" min="0" max=${t.images-1} value=${u} onChange=${m=>h(Number(m.target.value))} />
    </div>
    <span class="row maps-tight"><button onClick=${()=>h(u-1)} disabled=${u<=0} aria-label="Previous image">‹</button>
      <button onClick=${()=>h(u+1)} disabled=${u>=t.images-1} aria-label="Next image">›</button></span>
    <label class="maps-file"><input type="file" accept="image/png,image/jpeg,image/webp,image/gif,image/bmp"
      onChange=${m=>c(m.target.files[0])} />
      <span>${p?p.slice(0,28):"Open a picture …"}</span></label>
    ${p&&d`<button class="quiet" onClick=${()=>h(u)}>Use the test image</button>`}
    ${p&&o==="page"&&d`<p class="hint maps-line">A link does not include your picture; a saved HTML file does.</p>`}
    ${e.picture&&!p&&d`<p class="hint maps-line">${e.picture} is not available, because a link does not include pictures: open it again.
      Until then a test image is shown.</p>`}
    ${i&&d`<p class="error">${i}</p>`}
  </div>`}var uh=8,rr=new WeakMap,ki=(t,e)=>new Map([...Object.entries(e??{}),...rr.get(t)??[]]);function Mi(t,e,n){let s=rr.get(t)??new Map,r=e;for(let o=2;s.has(r)&&s.get(r)!==n;o++)r=`${e} (${o})`;return s.delete(r),rr.set(t,new Map([...s,[r,n]].slice(-uh))),r}var ir=(t,e)=>Object.fromEntries(e.filter(n=>t.has(n)).map(n=>[n,t.get(n)]));var Ai={model:"",text:null,target:"",image:0,step:null,picture:""},ph={...Ai,other:null,compare:"side",kind:"",layer:0,head:0,show:"",colour:"own",pin:null,near:null},Ti=512,hh=6*2**20;function dh({ask:t,state:e,change:n,place:s}){let r=G(t,"models",{}),o=r.response?.models??null,a=ki(t,e.pictures),i=typeof e.other=="object"&&e.other?{...Ai,...e.other}:null,l=Si(t,o,e,a),c=Si(t,o,i,a),u=fh(l,c,e.kind),[p,h]=$h(u,e.layer,e.head),m=u?{...e,...gh(u.layers[p],e)}:e,f=Ni(t,l,u,p,h,m),$=Ni(t,c,u,p,h,m),g=D(null);if(r.error)return d`<${W} error=${r.error} />`;if(!o)return d`<${W} waiting=${r.waiting} />`;if(!o.length)return d`<p>There is no model with attention here. Name a folder: <code>regard explore FOLDER</code>.</p>`;let x=k=>n({...k,pin:null,near:null}),b=k=>n({other:{...i,...k},pin:null,near:null}),v=k=>n({other:k?_i(Dn(o,e.model),e):null,near:null}),y=[e.picture,i?.picture],w=k=>(_,T)=>{let N=Mi(t,_,T);s==="notebook"&&n({pictures:{...ir(a,y),[N]:T}}),k({picture:N})},M=s==="file",A=Oi(l,c),z=[l,c].filter(k=>k.maps);return d`<div class="maps" ref=${g}>
    <${F} class="maps-top">
      <fieldset class="maps-held maps-inputs" disabled=${M}>
        <${ar} title=${i?"First":"Model and input"} models=${o} value=${e} set=${x} pictures=${a}
          open=${w(x)} side=${l} place=${s} />
        ${i&&d`<${ar} title="Second" models=${o} value=${i} set=${b} pictures=${a}
          open=${w(b)} side=${c} place=${s} />`}
      </fieldset>
      <div class="row maps-nameless">
        <fieldset class="maps-held" disabled=${M}><${mt} label="Compare with a second" value=${i!==null} onChange=${v} /></fieldset>
        ${i&&d`<${nt} label="How" value=${e.compare} options=${[["side","Side by side"],["difference","Difference"]]}
          onChange=${k=>n({compare:k})} />`}
        ${M&&d`<span class="hint">Saved file: run <code>regard explore</code> to change what is greyed out.</span>`}</div>
      <${W} error=${l.error??c.error} waiting=${l.waiting||c.waiting}>the model reads …<//>
    </${F}>
    ${u&&d`<div class="maps-body">
      <${xh} ask=${t} sides=${z} kind=${u} layer=${p} head=${h} state=${m}
        kinds=${A} change=${n} isFile=${M} />
      <${bi} ask=${t} sides=${[l,c]} heads=${[f,$]} kind=${u} layer=${p} head=${h} state=${m} change=${n}
        differs=${mh(l,c)} isFile=${M} isLarge=${Li(u.layers[p])}
        actions=${d`<${at} name=${`maps-layer-${p+1}-head-${h+1}`} of=${g} ask=${t} view="maps" place=${s}
          state=${{...e,pictures:ir(a,y)}}
          numbers=${()=>bh([f,$],[l,c],u)} saves=${()=>vh(z,u,p,h,m)} />`} />
    </div>`}
  </div>`}function Si(t,e,n,s){let r=e&&n?wi(e,n,s):null,{response:o,error:a,waiting:i,of:l}=G(t,"maps",r),c=r&&JSON.stringify(r),u=!!r&&l===c;return{request:r,isNow:u,maps:r&&(u||!a)?o:null,error:r?a:null,waiting:!!r&&i}}function mh(t,e){let[n,s]=[t,e].map(r=>r.isNow?or(r):null);return n!==null&&s!==null&&n!==s}function Ni(t,e,n,s,r,o){let a=e.maps?.kinds.find(l=>l.name===n?.name),i=a?.layers[s]&&r<a.layers[s].heads;return Qt(t,i?Ei(e.maps,a,s,r,o):null,e.request)}function Ei(t,e,n,s,{near:r,show:o}){let{rows:a,columns:i}=e.layers[n],l=Pi({rows:a,columns:i},r)??(o==="lines"&&Li({rows:a,columns:i})?[0,0]:null),c=l?{rows:[l[0],l[0]+Ct],columns:[l[1],l[1]+Ct]}:{};return{key:t.key,kind:e.name,layer:n,head:s,...c,most:Ti}}var Oi=(t,e)=>t.maps?.kinds.filter(n=>!e.maps||e.maps.kinds.some(s=>s.name===n.name))??[];function fh(t,e,n){let s=Oi(t,e);return s.find(r=>r.name===n)??s.find(r=>r.name==="cross")??s[0]??null}var We=(t,e)=>Math.max(0,Math.min(e-1,Math.round(t)||0));function $h(t,e,n){if(!t)return[0,0];let s=We(e,t.layers.length);return[s,We(n,t.layers[s].heads)]}function gh({rows:t,columns:e},{pin:n,near:s}){let r=typeof n?.[1]=="number"?We(n[1],e):null;return{pin:Array.isArray(n)?[We(n[0],t),r]:null,near:Pi({rows:t,columns:e},s)}}var Pi=({rows:t,columns:e},n)=>Array.isArray(n)?[t,e].map((s,r)=>We(n[r],Math.max(1,s-Ct+1))):null,Li=({rows:t,columns:e})=>Math.max(t,e)>Ti;function xh({ask:t,sides:e,kind:n,kinds:s,layer:r,head:o,state:a,change:i,isFile:l}){let[c,u]=Q(),p=[0,1].map(y=>pi(t,e[y]?{key:e[y].maps.key,kind:n.name}:null,e[y]?.request)),h=l&&!e.every(({maps:y})=>Ri(zi(y,n),a)),m=h?"head":l&&s.length>1?"kind":null,f=h?null:(y,w)=>i({layer:y,head:w}),[$,g]=p.map(y=>y.thumbs),x=e.length>1&&a.compare==="difference"&&$&&g&&yh($,g),b=`${n.layers.length} layers of heads, ${n.title}`,v={colour:a.colour,layer:r,head:o,onChoose:f,width:Math.max(u,120)};return d`<${F} title="All heads" class="maps-all" note="A row for each layer, a column for each head." >
    ${s.length>1&&d`<fieldset class="maps-held maps-nameless" disabled=${l}><${nt} label="Kind" value=${n.name}
      options=${s.map(y=>[y.name,y.title])} onChange=${y=>i({kind:y,pin:null,near:null})} /></fieldset>`}
    <div ref=${c} class="maps-grids">
      ${$&&u>0&&d`<div>${e.length>1&&d`<h3>${x?"First minus second":"First"}</h3>`}
        <${er} thumbs=${$} minus=${x?g:null} label=${b} ...${v} /></div>`}
      ${g&&u>0&&e.length>1&&!x&&d`<div><h3>Second</h3><${er} thumbs=${g}
        label=${`${b}, second`} ...${v} /></div>`}
    </div>
    ${m&&d`<p class="hint">Saved with one ${m}: run <code>regard explore</code> for the others.</p>`}
    <${W} error=${p[0].error??p[1].error} />
    <${nt} label="Colours" value=${a.colour} options=${[["own","own scale"],["one","0 to 1"]]} onChange=${y=>i({colour:y})} />
  </${F}>`}var Ci=t=>JSON.stringify(t.map(e=>e.map(({rows:n,columns:s})=>[n,s]))),yh=(t,e)=>Ci(t)===Ci(e);function bh(t,e,n){let s={};return t.forEach(({tile:r},o)=>{if(!r)return;let a=(i,[l,c])=>e[o].maps.axes[i]?.slice(l,c).filter((u,p)=>p%r.pool===0);s[o?"second":"weights"]={shape:r.shape,data:r.weights,rows:a(n.rows,r.rows),columns:a(n.columns,r.columns)}}),s}var zi=(t,e)=>t.kinds.find(n=>n.name===e.name)??e,Ri=({layers:t},{near:e})=>!e&&t.reduce((n,s)=>n+4*s.heads*s.rows*s.columns,0)<=hh;function vh(t,e,n,s,r){let o=[["models",{}]];for(let{request:a,maps:i}of t){let l=zi(i,e),c=l.layers.flatMap((u,p)=>Array.from({length:u.heads},(h,m)=>[p,m]));o.push(["maps",a],["overview",{key:i.key,kind:e.name}]),i.pictured&&o.push(["picture",{key:i.key}]);for(let[u,p]of Ri(l,r)?c:[[n,s]])o.push(["tile",Ei(i,l,u,p,r)],["facts",{key:i.key,kind:e.name,layer:u,head:p}]);r.pin&&o.push(["tile",{key:i.key,kind:e.name,layer:n,head:s,rows:[r.pin[0],r.pin[0]+1],most:4096}])}return o}var Di={name:"maps",title:"Maps",about:"What each head of a model looks at in your text or picture. Choose a head; point at a token to read its numbers.",state:ph,View:dh};var qi=[[1e18,"E"],[1e15,"P"],[1e12,"T"],[1e9,"G"],[1e6,"M"],[1e3,"k"],[1,""],[.001,"m"],[1e-6,"µ"],[1e-9,"n"]];function wh(t,e){if(t==null)return"–";let n=Number(t.toPrecision(3));if(n===0)return`0 ${e}`;let[s,r]=qi.find(([o])=>Math.abs(n)>=o*.9999999)??qi.at(-1);return`${Number((n/s).toPrecision(3))} ${r}${e}`}var ft={flops:{name:"FLOPs",unit:"FLOP",axis:"FLOPs",about:"work of matrix products, two per multiply-add"},bytes:{name:"Bytes moved",unit:"B",axis:"bytes moved",about:"what must cross the memory bus"},memory:{name:"Memory",unit:"B",axis:"bytes at the peak",about:"the peak beyond the inputs"},seconds:{name:"Time",unit:"s",axis:"microseconds, predicted",times:1e6,about:"predicted for the machine chosen"}},H=t=>t.toLocaleString("en"),qn=(t,e)=>`${Number((100*t/e).toPrecision(3))} %`;function lr({claim:t,place:e}){return!t||e!=="page"?null:d` (<a href=${`#claims?${encodeURIComponent(JSON.stringify({claim:t}))}`}>${t}</a>)`}function qt({label:t,value:e,values:n,onChange:s,says:r=H}){let o=n.reduce((a,i,l)=>Math.abs(Math.log(i/e))<Math.abs(Math.log(n[a]/e))?l:a,0);return d`<${et} label=${t} value=${o} min=${0} max=${n.length-1} step=${1}
    onChange=${a=>s(n[a])} says=${a=>r(a===o?e:n[a])} />`}function cr(t,e){let n=[];for(let s=t;s<=e;s*=2)n.push(...s*1.5<=e?[s,s*1.5]:[s]);return n}var Be=["flops","bytes","memory","seconds"];function Fi({found:t,saving:e}){let n=D(null),s=t.response,r=s?.candidates.filter(l=>l.refusal===null)??[],o=s?.candidates.filter(l=>l.refusal!==null)??[],i=s&&d`<${at} name="plan" of=${n} numbers=${()=>{let l=r.flatMap(c=>Be.map(u=>c[u]));return{plan:{shape:[r.length,Be.length],data:l,rows:r.map(c=>c.name),columns:Be}}}} ...${e} />`;return d`<${F} title="The plan" actions=${i}>
    <${W} error=${t.error} waiting=${!s&&t.waiting} />
    ${s&&d`<div ref=${n}>
      <p class="patterns-headline"><b data-chosen=${s.chosen}>${s.chosen}</b> is the fastest exact way here.${kh(s)}</p>
      <p class="patterns-value">${s.value.replace("Content(beta=None)","Content()")}</p>
      <p class="note">${Object.entries(s.shape).map(([l,c])=>`${l} = ${H(c)}`).join(" · ")} · ${s.dtype} · ${s.device}</p>
      <p class="note">Times by the table ${s.device}: ${s.basis}.</p>
      <div class="scrolls" tabindex="0" role="region" aria-label="Algorithms and their costs"><table class="lines patterns-plan">
        <thead><tr><th>algorithm</th>
          ${Be.map(l=>d`<th class="number" title=${ft[l].about}>${ft[l].name}</th>`)}</tr></thead>
        <tbody>
          ${r.map(l=>d`<tr class=${l.name===s.chosen?"patterns-chosen":""}>
            <th scope="row">${l.name}${l.name===s.chosen&&d` <span class="badge">chosen</span>`}</th>
            <${ji} one=${l} />
          </tr>`)}
          <tr class="patterns-full"><th scope="row">full attention, ${s.full.name}</th>
            <${ji} one=${{...s.full,name:"full"}} /></tr>
        </tbody>
      </table></div>
      ${o.length>0&&d`<details class="patterns-refused"><summary>${o.length} other algorithms would not be exact here, or cannot run</summary>
        <dl>${o.map(l=>d`<dt>${l.name}</dt><dd data-refusal=${l.name}>${l.refusal}</dd>`)}</dl></details>`}
    </div>`}
  <//>`}function ji({one:t}){return Be.map(e=>d`<td class="number" data-cost=${`${t.name} ${e}`} title=${_h(t[e],e)}>
    ${wh(t[e],ft[e].unit)}</td>`)}var _h=(t,e)=>e==="seconds"?`${t} s`:`${H(t)} ${ft[e].unit}`;function kh(t){let[e]=t.candidates,n=(r,o)=>{let a=Number((t.full[r]/e[r]).toPrecision(2));return Number.isFinite(a)&&a!==1?[`${a} times the ${o}`]:[]},s=[...n("flops","FLOPs"),...n("memory","memory"),...n("seconds","predicted time")];return s.length?` Full attention takes ${s.join(", ").replace(/, ([^,]*)$/," and $1")}.`:""}var Ii=["①","②","③","④"],Mh=t=>Math.abs(t)>=1e7?Sn(t):O(t);function Wi({found:t,request:e,quantity:n,compare:s,change:r,saving:o,place:a}){let i=D(null),l=t.response,c=l?Sh(l,n,s):[],u=l&&s==="full"?Ch(l,n):[],h=l&&d`<${at} name="growth" of=${i} numbers=${()=>{let m=g=>Object.keys(ft).map(x=>({name:`${g.name}, ${x}`,data:g[x]})),f=l.curves.flatMap(m).filter(g=>g.data.some(x=>x!==null)),$=l.tokens.flatMap((g,x)=>f.map(b=>b.data[x]));return{growth:{shape:[l.tokens.length,f.length],data:$,rows:l.tokens,columns:f.map(g=>g.name)}}}} ...${o} />`;return d`<${F} title="How the cost grows" actions=${h}>
    <div class="row patterns-choices">
      <${nt} label="Show" value=${n} options=${Object.entries(ft).map(([m,f])=>[m,f.name])}
        onChange=${m=>r({quantity:m})} />
      <${nt} label="of" value=${s} options=${[["full","the mechanism and full attention"],["algorithms","each algorithm"]]}
        onChange=${m=>r({compare:m})} />
    </div>
    <${W} error=${t.error} waiting=${!l&&t.waiting} />
    ${l&&d`<div ref=${i}>
      <p class="patterns-axis">${ft[n].axis} <span aria-hidden="true">↑</span></p>
      <${St} series=${c} label=${`${ft[n].name} against the number of tokens`} yLabel="" logX logY height=${300}
        xLabel=${l.sides?"tokens N, on square grids":"tokens N"} says=${Mh} marks=${Nh(u)} />
      ${u.length>0&&d`<ol class="patterns-crossings">
        ${u.map((m,f)=>d`<li><span aria-hidden="true">${Ii[f]}</span><span><${Th} one=${m} request=${e} place=${a} /></span></li>`)}
      </ol>`}
      <p class="note"><${Eh} curves=${c} />${s==="full"?` ${Oh(l)}`:""}</p>
    </div>`}
  <//>`}function Sh(t,e,n){let s=n==="full"?["ours","full","projections"]:["algorithm"],r=ft[e].times??1,o=a=>a.map(i=>i===null?NaN:i*r);return t.curves.filter(a=>s.includes(a.kind)&&a[e].some(i=>i>0)).map(a=>({name:a.name,x:t.tokens,y:o(a[e]),exponent:a.exponent[e]}))}function Nh(t){let e=new Map;return t.forEach((n,s)=>e.set(n.tokens,`${e.get(n.tokens)??""}${Ii[s]}`)),[...e].map(([n,s])=>({x:n,name:s}))}function Ch(t,e){let n=t.crossings.filter(r=>r.quantity===e&&(r.more||r.right!=="projections")),s=!n.some(r=>r.left==="this mechanism"&&r.right==="full attention")&&Ah(t,e);return n.filter(r=>!(s&&r.left==="this mechanism")).sort((r,o)=>r.tokens-o.tokens)}function Ah(t,e){let[n,s]=["ours","full"].map(r=>t.curves.find(o=>o.kind===r)[e]);return n.every((r,o)=>r===s[o])}function Th({one:t,request:e,place:n}){let s={flops:"costs",seconds:"takes"}[t.quantity]??"needs",r=t.right==="projections"?"eecs.2d":["softmax","hard"].includes(e.weighting)?"udl.8":"udl.10",o=t.right==="projections"?"the projections of q, k, v and the output":t.right,a=t.right==="projections"&&t.tokens===2*e.heads*e.width?": twice the width of all heads together":"",i=`on ${t.left} ${s} ${t.more?"at least as much as":"less than"} ${o}${a}`;return d`From ${t.exact?"":"about "}<b data-crossing=${`${t.left} ${t.right}`}>N = ${H(t.tokens)}</b> ${i}<${lr} claim=${r} place=${n} />.`}function Eh({curves:t}){let e=t.filter(n=>n.exponent!==null);return e.length?d`At the end they grow as ${e.map((n,s)=>d`${s?", ":""}N<sup>${n.exponent.toFixed(2)}</sup> (${n.name})`)}.`:null}function Oh(t){let n=t.chosen.map((s,r)=>[s,t.tokens[r]]).filter(([s],r)=>s&&s!==t.chosen[r-1]).map(([s,r],o)=>o?`${s} from ${H(r)}`:s).join(", ");return`${n&&`Chosen: ${n}. `}Up to ${H(t.tokens.at(-1))} tokens are compared.`}var jn=[0,.1,.36],Ph=512,Lh="Point at the map, or use the arrow keys.",zh=" Press Enter to follow that query through the layers below.";function Bi({found:t,request:e,output:n,onChoose:s,saving:r}){let o=D(null),{header:a,levels:i}=K(()=>Dh(t.response),[t.response]),c=a&&d`<${at} name="mask" of=${o} numbers=${()=>({mask:{shape:[a.rows,a.columns],data:i}})} ...${r} />`;return d`<${F} title="Who sees whom" actions=${c}>
    <${W} error=${t.error} waiting=${!a&&t.waiting} />
    ${a&&d`<${Rh} header=${a} levels=${i} request=${e} output=${n} picture=${o}
      onChoose=${r.place==="file"?null:s} />`}
  <//>`}function Rh({header:t,levels:e,request:n,output:s,onChoose:r,picture:o}){lt();let[a,i]=Q(),[l,c]=q(null),u=K(()=>Float32Array.from(e,m=>jn[m]),[e]),p=s!==null&&s<t.tokens?Math.floor(s/t.cell):null,h=(m,f)=>Fh(t,e,m,f,n.grid);return d`<div class="patterns-map" ref=${a}>
    <div ref=${o} class="patterns-pictured">
      <p class="patterns-axis">queries <span aria-hidden="true">↓</span> keys <span aria-hidden="true">→</span></p>
      ${i>0&&d`<div class="patterns-framed">
        ${p!==null&&d`<span class="patterns-followed" style=${{top:`${100*(p+.5)/t.rows}%`}} aria-hidden="true"></span>`}
        <${wt} data=${u} rows=${t.rows} columns=${t.columns} side=${qh(t,i)}
          label=${`Mask of ${n.mask}: queries down, keys across`} chosen=${p===null?null:[p,p]}
          onChoose=${r&&(m=>r(Math.min(m*t.cell+Math.floor(t.cell/2),t.tokens-1)))}
          onPoint=${(m,f)=>c(m===null?null:[m,f])} says=${h} /></div>`}
      <ul class="patterns-shades" aria-label="Colours">
        <li><${pr} shade=${jn[2]} />visible</li>
        ${t.cell>1&&d`<li><${pr} shade=${jn[1]} />${t.is_exact?"in part":"in part, or hidden"}</li>`}
        <li><${pr} shade=${jn[0]} />hidden</li>
        ${t.cell>1&&d`<li>a cell is ${t.cell} × ${t.cell} pairs</li>`}
      </ul>
    </div>
    <div class="patterns-facts">
      <dl>
        <${ur} name="visible pairs" count="visible" value=${H(t.visible)} note=${`of ${H(t.pairs)}, ${qn(t.visible,t.pairs)}`} />
        <${ur} name="keys that a query sees" count="most" value=${Hi(Math.min(...t.fewest),Math.max(...t.most))}
          note=${`${H(Math.round(t.visible/t.tokens*10)/10)} on average`} />
        <${ur} name=${`blocks of ${t.block} × ${t.block} that a kernel visits`} count="visited" value=${H(t.visited)}
          note=${`of ${H(t.blocks)}; they hold ${H(t.visited_pairs)} pairs`} />
      </dl>
      <p class="patterns-point" aria-hidden="true">${l?h(...l):d`<span class="hint">${Lh}${r&&zh}</span>`}</p>
      ${t.batch&&d`<p class="hint">The first of ${t.batch} rows of a padded batch.</p>`}
    </div>
  </div>`}var ur=({name:t,count:e,value:n,note:s})=>d`<div><dt>${t}</dt><dd><b data-count=${e}>${n}</b><small>${s}</small></dd></div>`;function Dh(t){if(!t)return{header:null,levels:null};let{header:e,data:n,offset:s}=t;return{header:e,levels:new Uint8Array(n,s,e.rows*e.columns)}}function qh(t,e){let n=Math.min(Ph,e);return t.rows>40?t.rows*Math.max(1,Math.floor(n/t.rows)):n}var Hi=(t,e)=>t===e?H(t):`${H(t)} to ${H(e)}`,jh=["hidden","visible in part","visible"];function Fh(t,e,n,s,r){let o=c=>{let[u,p]=[c*t.cell,Math.min((c+1)*t.cell,t.tokens)-1];return r&&t.cell===1?`(${Math.floor(u/r[1])}, ${u%r[1]})`:u===p?H(u):`${H(u)}–${H(p)}`},[a,i]=t.cell===1?["query","sees"]:["queries","see"],l=t.cell===1||t.fewest[n]===1?"":" each";return`${a} ${o(n)}, ${t.cell===1?"key":"keys"} ${o(s)}: ${jh[e[n*t.columns+s]]}. The ${a} ${i} ${Hi(t.fewest[n],t.most[n])} ${t.most[n]===1?"key":"keys"}${l}.`}function pr({shade:t}){return d`<span class="patterns-swatch" style=${{background:Ot(t,"weight",1)}} aria-hidden="true"></span>`}var Ih=450,Wh="A token reaches an output if its value can get there through the layers, whatever the weights.",Fn=t=>`${t} ${t===1?"layer":"layers"}`;function Ui({found:t,state:e,change:n,clipped:s,saving:r}){let o=D(null),[a,i]=q(!1),{header:l,first:c}=K(()=>Bh(t.response),[t.response]),u=l?.depths.length??e.layers,p=Math.min(e.depth??u,u);I(()=>{if(!a)return;if(p>=u)return i(!1);let x=setTimeout(()=>n({depth:p+1}),Ih);return()=>clearTimeout(x)},[a,p,u]);let h=()=>a?i(!1):(n({depth:p>=u?1:p}),i(!0)),m=()=>{let x=["fewest","mean","most","here","formula","convolution"],b=l.depths.flatMap(v=>x.map(y=>v[y]));return{reach:{shape:[u,x.length],data:b,rows:l.depths.map(v=>v.layers),columns:x}}},{place:f}=r,$=f==="file"?null:x=>n({output:x}),g=l&&d`<${at} name="reach" of=${o} numbers=${m} ...${r} />`;return d`<${F} title="How far layers reach" actions=${g} note=${Wh}>
    <div class="row patterns-choices">
      <${Pt} place=${f} noted=${!1}><${et} label="Layers" value=${e.layers} min=${1} max=${32} step=${1} says=${H}
        onChange=${x=>n({layers:x,depth:null})} /><//>
      <${et} label="Show after" value=${p} min=${1} max=${u} step=${1} says=${Fn}
        onChange=${x=>(i(!1),n({depth:x}))} />
      ${!Lt()&&d`<button onClick=${h} title="Layer by layer">${a?"■ Stop":"▶ Play"}</button>`}
      <${Pt} place=${f} noted=${!1}><${mt} label="residual connections" value=${e.residual}
        onChange=${x=>n({residual:x})} /><//>
    </div>
    <${Ut} place=${f} what="change the layers, or follow another token" />
    <${W} error=${t.error} waiting=${!l&&t.waiting} />
    ${l&&d`<div ref=${o} class="patterns-reach">
      <p class="patterns-headline" aria-live="polite"><${Hh} header=${l} depth=${p} /></p>
      ${l.sides.length===2?d`<${Uh} header=${l} first=${c} depth=${p} onChoose=${$} />`:d`<${Kh} header=${l} first=${c} depth=${p} onChoose=${$} />`}
      <${Xh} header=${l} depth=${p} />
    </div>
    ${s&&d`<p class="hint">Computed for ${l.sides.map(H).join(" × ")} tokens; with more tokens it grows in the same way.</p>`}`}
  <//>`}function Bh(t){if(!t)return{header:null,first:null};let{header:e,data:n,offset:s}=t,r=new Uint8Array(n,s,e.depths.length*e.tokens);return{header:e,first:{reached:r,count:e.tokens}}}var hr=(t,e)=>e===1?.36:(.72-.5*((t-1)/(e-1)))**2;function Hh({header:t,depth:e}){let n=t.depths[e-1],s=t.sides.length===2?`pixel (${Math.floor(t.output/t.sides[1])}, ${t.output%t.sides[1]})`:`token ${H(t.output)}`,o=`${n.here===t.tokens?"all":`${H(n.here)} of`} ${H(t.tokens)} ${t.sides.length===2?"pixels":"tokens"}`,a=n.here===t.tokens?"":` (${qn(n.here,t.tokens)})`,i=t.settled!==null&&t.settled<=e&&n.here<t.tokens;return d`After ${Fn(e)} <b data-reached=${n.here}>${o}</b> reach ${s}${a}.${i&&" More layers of this mask reach nothing further."}`}function Uh({header:t,first:e,depth:n,onChoose:s}){let[r,o]=t.sides,[a,i]=Q(),l=K(()=>{let u=new Float32Array(t.tokens);for(let p=n;p>=1;p--)for(let h=0;h<t.tokens;h++)e.reached[(p-1)*t.tokens+h]&&(u[h]=hr(p,t.depths.length));return u},[e,n]),c=(u,p)=>{let h=t.depths.findIndex((m,f)=>e.reached[f*t.tokens+u*o+p]);return`pixel (${u}, ${p}): ${h<0?"never reaches the output":`reaches it from layer ${h+1} on`}`};return d`<div class="patterns-field" ref=${a}>
    ${i>0&&d`<${wt} data=${l} rows=${r} columns=${o} side=${Math.min(360,i)}
      label=${`Pixels that reach the output after ${Fn(n)}${s?"; Enter follows another":""}`}
      chosen=${[Math.floor(t.output/o),t.output%o]} onChoose=${s&&((u,p)=>s(u*o+p))} says=${c} />`}
    <${Vh} header=${t} />
    ${s&&d`<p class="hint">Choose another pixel to follow.</p>`}
  </div>`}function Kh({header:t,first:e,depth:n,onChoose:s}){let r=lt(),o=D(null),[a,i]=Q(),l=t.depths.length;it(()=>{if(!i)return;let p=new Float32Array((l+1)*t.tokens);p[t.output]=1;for(let m=1;m<=n;m++){let f=hr(m,l);for(let $=0;$<t.tokens;$++)e.reached[(m-1)*t.tokens+$]&&(p[m*t.tokens+$]=f)}let h=Math.max(64,Math.min(t.tokens,Math.floor(i)));An(o.current,p,l+1,t.tokens,"weight",1,h)},[t,e,n,i,r]);let c=p=>{let h=p.currentTarget.getBoundingClientRect();s(Math.max(0,Math.min(t.tokens-1,Math.floor((p.clientX-h.left)/h.width*t.tokens))))},u=Math.min(44,Math.max(8,300/(l+1)))*(l+1);return d`<div class="patterns-cone">
    <div class="patterns-rows" style=${{height:`${u}px`}} aria-hidden="true"><span>output</span><span>${Fn(l)}</span></div>
    <div ref=${a}><canvas ref=${o} role="img" style=${{height:`${u}px`}} onClick=${s&&c}
      aria-label=${`Tokens that reach output ${t.output}, a row for each layer: ${t.depths.slice(0,n).map(p=>p.here).join(", ")}`}></canvas>
      <p class="patterns-ends"><span>token 0</span><span>token ${H(t.tokens-1)}</span></p></div>
    <div class="patterns-output">
      <${et} label="Follow token" value=${t.output} min=${0} max=${t.tokens-1} step=${1} disabled=${!s}
        onChange=${s} says=${H} />
    </div>
  </div>`}function Vh({header:t}){lt();let e=t.depths.length,n=s=>Ot(hr(s,e),"weight",1);return d`<div class="legend"><span>layer 1</span>
    <span class="patterns-scale" aria-hidden="true">${t.depths.map(s=>d`<i style=${{background:n(s.layers)}}></i>`)}</span>
    <span>layer ${e}</span></div>`}function Xh({header:t,depth:e}){let n=t.depths.map(i=>i.layers),s=i=>t.depths.map(l=>l[i]??NaN),r=[{name:"reach this output",x:n,y:s("here")}];t.formula!==null&&r.push({name:"by the formula",x:n,y:s("formula")}),r.push({name:"mean of all outputs",x:n,y:s("mean"),class:"curve-4"});let o=t.depths.every(i=>i.convolution===i.here),a=`${t.taps.join(" × ")} taps`;return o||r.push({name:`convolutions, ${a}`,x:n,y:s("convolution"),class:"curve-5"}),d`<div class="patterns-growing">
    <${St} series=${r} label="Tokens that reach the output, against the number of layers" xLabel="layers" yLabel="tokens"
      height=${250} yMin=${0} marks=${n.length>1?[{x:e,name:""}]:[]} says=${O} />
    <p class="note">${t.formula!==null?d`Formula: <code data-formula>${t.formula}</code> tokens (${t.legend}).`:"No closed form is known here; the counts come from the composed masks."}${o&&` Convolutions with ${a} reach as many.`}</p>
  </div>`}var dr=["content","content + slopes","content + gaussian","content + table","gaussian","diagonal_gaussian","full_gaussian","table"],mr=[["softmax","softmax"],["hard","hard, one-hot"],["elu","linear, elu"],["relu","linear, relu"],["squared_relu","linear, squared relu"],["exp","linear, exp"],["random_features(64)","linear, 64 random features"]],Xi={cpu:"a CPU",h200:"NVIDIA H200",a100:"NVIDIA A100",h100:"NVIDIA H100",b200:"NVIDIA B200",l40s:"NVIDIA L40S",t4:"NVIDIA T4",cuda:"any CUDA GPU",other:"another device"},Gi=[["","default type"],["bfloat16","bfloat16"],["float16","float16"],["float32","float32"],["float64","float64"]],Gh=cr(16,131072),Ki=cr(4,128),Vi=[1,2,4,8,16,32,64],fr=4096,$e={mask:"causal & window(256)",second:"",scores:"content",weighting:"softmax",tokens:4096,grid:null,batch:1,heads:16,width:64,device:"h200",dtype:"",backward:!1,block:128,shown:0,quantity:"flops",compare:"full",layers:12,depth:null,residual:!0,output:null};function Jh(t){let e=s=>t[s].slice(0,300),n=(s,r,o)=>ee(t[s],r,o,$e[s]);return{...t,mask:e("mask"),second:e("second"),scores:e("scores"),weighting:e("weighting"),tokens:n("tokens",1,131072),grid:cn(t.grid,1,256),batch:n("batch",1,4096),heads:n("heads",1,256),width:n("width",1,1024),block:n("block",1,4096),layers:n("layers",1,64),depth:n("depth",1,64),output:n("output",0,131071),shown:n("shown",0,1),device:Se(t.device,Object.keys(Xi),$e.device),dtype:Se(t.dtype,Gi.map(([s])=>s),$e.dtype),quantity:Se(t.quantity,Object.keys(ft),$e.quantity),compare:Se(t.compare,["full","algorithms"],$e.compare)}}function Yh({ask:t,state:e,change:n,place:s}){let r=Jh(e),o=G(t,"presets",{}),a=Qh(r),i=gt(t,"mechanism",a.mechanism),l=gt(t,"mechanism",a.second),c={...i.response?.wrong,...a.second&&l.response?.wrong.mask?{second:l.response.wrong.mask}:{}},u=i.of===JSON.stringify(a.mechanism)&&(!a.second||l.of===JSON.stringify(a.second)),p=D(null);u&&Object.keys(c).length===0&&(p.current=Zh(r,a));let h=p.current,m=gt(t,"pattern",h?.pattern),f=gt(t,"plan",h?.plan),$=gt(t,"reach",h?.reach),g=G(t,"growth",h?.growth),b={saves:()=>[["presets",{}],["mechanism",a.mechanism],...a.second?[["mechanism",a.second]]:[],...Object.entries(h)],ask:t,view:"patterns",state:r,place:s},v=$.response?.header.output??null;return d`<div class="sided patterns">
    <${Pt} class="patterns-left" place=${s}>
      <${ed} known=${o} state=${r} change=${n} wrong=${c} place=${s} />
      <${sd} devices=${o.response?.devices??[r.device]} state=${r} change=${n} />
    <//>
    <div class="patterns-right" aria-busy=${String(!u)}>
      ${a.second&&d`<${Pt} class="patterns-turns" place=${s} noted=${!1}><${nt} label="Mask, plan and cost of" value=${r.shown}
        options=${[[0,"the first layer"],[1,"every other layer"]]} onChange=${y=>n({shown:y})} /><//>`}
      ${h===null&&Object.keys(c).length>0&&d`<p class="note">Nothing to draw yet: the text on the left is not a mechanism.</p>`}
      <${Bi} found=${m} request=${h?.pattern} output=${v} onChoose=${y=>n({output:y})} saving=${b} />
      <${Fi} found=${f} saving=${b} />
      <${Wi} found=${g} request=${a.mechanism} quantity=${r.quantity} compare=${r.compare}
        change=${n} saving=${b} place=${s} />
      <${Ui} found=${$} state=${r} change=${n} clipped=${h!==null&&td(r)} saving=${b} />
    </div>
  </div>`}function Qh({mask:t,second:e,shown:n,scores:s,weighting:r,tokens:o,grid:a,batch:i,heads:l,width:c,device:u,dtype:p,backward:h}){let m={scores:s,weighting:r,tokens:o,grid:a,batch:i,heads:l,width:c,device:u,dtype:p||null,backward:h},f=e.trim()!=="";return{mechanism:{mask:f&&n?e:t,...m},second:f?{mask:n?t:e,...m}:null,masks:f?[t,e]:[t]}}function Zh(t,{mechanism:e,masks:n}){let{tokens:s,...r}=e,o=Ji(t),a=o.grid?o.grid[0]*o.grid[1]:o.tokens,i=t.output!==null&&t.output<a?t.output:null;return{pattern:{mask:e.mask,tokens:s,grid:t.grid,block:t.block},plan:e,growth:{...r,grid:t.grid&&[1,1]},reach:{masks:n.slice(0,t.layers),...o,layers:t.layers,residual:t.residual,output:i}}}var Ji=({tokens:t,grid:e})=>e&&e[0]*e[1]>fr?{tokens:t,grid:e.map(n=>Math.min(n,Math.sqrt(fr)))}:{tokens:e?t:Math.min(t,fr),grid:e},td=t=>JSON.stringify(Ji(t))!==JSON.stringify({tokens:t.tokens,grid:t.grid});function ed({known:t,state:e,change:n,wrong:s,place:r}){let o=X(),a=t.response?.presets??[],i=h=>["mask","second","scores","weighting"].every(m=>h[m]===e[m])&&!!h.grid==!!e.grid,l=a.find(i),c=({mask:h,second:m,scores:f,weighting:$,tokens:g,grid:x,layers:b})=>n({mask:h,second:m,scores:f,weighting:$,tokens:g,grid:x,layers:b,depth:null,output:null,shown:0}),u=K(()=>(dr.includes(e.scores)?dr:[...dr,e.scores]).map(h=>[h,h]),[e.scores]),p=mr.some(([h])=>h===e.weighting)?mr:[...mr,[e.weighting,e.weighting]];return d`<${F} title="Mechanism">
    <${W} error=${t.error} waiting=${!t.response&&t.waiting} />
    <fieldset class="patterns-presets"><legend class="unseen">Start from</legend>
      ${a.map(h=>d`<label><input type="radio" name=${o} value=${h.name} checked=${h===l} onChange=${()=>c(h)} />
        <span>${h.title}</span></label>`)}
    </fieldset>
    <p class="note patterns-says">${l?l.says:"Your own."}<${lr} claim=${l?.claim} place=${r} /></p>
    <div class="stack">
      <div class="patterns-written">
        <div><${pt} label="Mask: who may see whom" live value=${e.mask} max=${300} onChange=${h=>n({mask:h})} />
          <${In} text=${s.mask} /></div>
        <div><${pt} label="Mask of every other layer, if it differs" live value=${e.second} max=${300}
          onChange=${h=>n({second:h,shown:h.trim()?e.shown:0})} /><${In} text=${s.second} /></div>
        <${nd} words=${t.response?.words??[]} />
      </div>
      <div><${ot} label="Scores" value=${e.scores} options=${u} onChange=${h=>n({scores:h})} />
        <${In} text=${s.scores} /></div>
      <div><${ot} label="Weights" value=${e.weighting} options=${p} onChange=${h=>n({weighting:h})} />
        <${In} text=${s.weighting} /></div>
    </div>
  <//>`}var In=({text:t})=>d`<div role="status" aria-live="polite">${t&&d`<p class="error patterns-wrong">${t}</p>`}</div>`;function nd({words:t}){return d`<details class="patterns-words"><summary>How to write a mask</summary>
    <p>Names, joined by <code>&</code> (both), <code>|</code> (either), <code>~</code> (not) and parentheses:</p>
    <ul>${t.map(e=>d`<li><code>${e}</code></li>`)}</ul>
    <p>Example: <code>causal & (window(16) | strided(64))</code>. Neighbours, tiles, rows, columns and axial need a grid.</p>
  </details>`}function sd({devices:t,state:e,change:n}){let{grid:s}=e,r=o=>a=>n({grid:s.map((i,l)=>l===o?a:i),output:null});return d`<${F} title="Sizes and machine">
    <div class="stack patterns-sizes">
      <${mt} label="tokens on a grid" value=${s!==null} onChange=${o=>n({grid:o?[64,64]:null,output:null})} />
      ${s?d`<${qt} label="Rows" value=${s[0]} values=${Ki} onChange=${r(0)} />
          <${qt} label="Columns" value=${s[1]} values=${Ki} onChange=${r(1)} />`:d`<${qt} label="Tokens N" value=${e.tokens} values=${Gh} onChange=${o=>n({tokens:o,output:null})} />`}
      <${qt} label="Heads" value=${e.heads} values=${Vi} onChange=${o=>n({heads:o})} />
      <${qt} label="Head width" value=${e.width} values=${[8,16,32,48,64,80,96,128,192,256]} onChange=${o=>n({width:o})} />
      <${qt} label="Batch" value=${e.batch} values=${Vi} onChange=${o=>n({batch:o})} />
      <${qt} label="Kernel block" value=${e.block} values=${[16,32,64,128,256]} onChange=${o=>n({block:o})} />
      <${ot} label="Machine" value=${e.device} options=${t.map(o=>[o,Xi[o]??o])}
        onChange=${o=>n({device:o})} />
      <${ot} label="Numbers" value=${e.dtype} options=${Gi} onChange=${o=>n({dtype:o})} />
      <${mt} label="include the backward pass" value=${e.backward} onChange=${o=>n({backward:o})} />
    </div>
  <//>`}var Yi={name:"patterns",title:"Patterns and cost",about:"Choose who may see whom. See the mask, the fastest exact algorithm, its cost as sequences grow, and how far stacked layers reach.",state:$e,View:Yh};function At({label:t,values:e,scale:n,limit:s,rowNames:r,columnNames:o,moved:a,chosen:i,onRow:l,digits:c=3,fixed:u=null}){lt();let p=s??Math.max(1e-12,...e.flat().map(m=>Math.abs(m??0))),h=m=>m===null?"−∞":u===null||Math.abs(m)>=1e3?O(m,c):m.toFixed(u).replace("-","−");return d`<div class="scrolls"><table class="matrix">
    <caption class="unseen">${t}</caption>
    ${o&&d`<thead><tr>${r&&d`<td></td>`}${o.map(m=>d`<th scope="col"><span class="word" title=${m}>${m}</span></th>`)}</tr></thead>`}
    <tbody>${e.map((m,f)=>d`<tr class=${i===f?"chosen":""}>
        ${r&&d`<th scope="row">${l?d`<button class="quiet word" aria-pressed=${String(i===f)} title=${r[f]} onClick=${()=>l(f)}>${r[f]}</button>`:d`<span class="word" title=${r[f]}>${r[f]}</span>`}</th>`}
        ${m.map(($,g)=>d`<td><span class=${`value${a?a[f][g]?" moved":" still":""}`} title=${$===null?"hidden":String($)}
            style=${n&&$!==null?{background:Ot($,n,p),color:Qr($,n,p)}:null}>${h($)}</span></td>`)}
      </tr>`)}</tbody>
  </table></div>`}function He({label:t,values:e,rowNames:n,chosen:s,onChange:r,onName:o,onRemoveRow:a,step:i=.1}){let l=(u,p,h)=>r(e.map((m,f)=>f===u?m.map(($,g)=>g===p?h:$):m)),c=(u,p)=>{let h=u.currentTarget.closest("table");a(p),requestAnimationFrame(()=>(h.querySelectorAll("button")[Math.min(p,e.length-2)]??h.querySelector("input"))?.focus())};return d`<div class="scrolls"><table class="matrix">
    <caption class="unseen">${t}</caption>
    <tbody>${e.map((u,p)=>d`<tr class=${s===p?"chosen":""}>
        ${n&&d`<th scope="row"><input class="name" type="text" maxlength="40" spellcheck=${!1} aria-label=${`name of token ${p+1}`}
          value=${n[p]} onChange=${h=>o(p,h.target.value)} /></th>`}
        ${u.map((h,m)=>d`<td><${pe} label=${`${t}, row ${p+1}, column ${m+1}`} value=${h} step=${i} onChange=${f=>l(p,m,f)} /></td>`)}
        ${a&&d`<td><button class="quiet" aria-label=${`remove ${n?.[p]??`row ${p+1}`}`} title="remove" onClick=${h=>c(h,p)}>×</button></td>`}
      </tr>`)}</tbody>
  </table></div>`}function Qi({state:t,change:e,problem:n,names:s,edit:r,isSaved:o}){let a=tl(n.x[0].length,t.axes),i=n.x.map((c,u)=>({id:`x${u}`,...a.at(c),name:s[u],kind:"token"}));return d`<${F} title="Tokens in the plane" note="Drag a token: its query, key and value follow.">
    <${el} axes=${a} change=${e} />
    <${nl} label="the tokens" points=${i} onMove=${o?()=>{}:(c,u,p)=>r({x:n.x.map((h,m)=>`x${m}`===c?a.put(h,u,p):h)})} xLabel=${`coordinate ${a.a+1}`}
      yLabel=${`coordinate ${a.b+1}`} height=${240} />
  <//>`}function Zi({state:t,change:e,found:n,shown:s,names:r,isSaved:o}){let a=s.head,i=tl(n.q[a][0].length,t.axes),l=(p,h,m)=>s.noise?.on===p&&s.noise.index===h?m.map((f,$)=>f+s.noise.noise[$]):m,c=(p,h)=>h.map((m,f)=>{let $=l(p,f,m);return{id:`${p} ${f}`,...i.at($),name:`${p} of ${r[f]}`,tag:`${p[0]} ${r[f]}`,kind:p,from:$===m?null:[m[i.a],m[i.b]]}}),u=(p,h,m)=>{let[f,$]=p.split(" "),g=n[f==="key"?"k":"q"][a][$],x=i.put(g,h,m).map((b,v)=>Number((b-g[v]).toFixed(6)));e({noise:{on:f,index:Number($),noise:x},hard:!1})};return d`<${F} title="Noise on a query or a key" note="Drag a key (square) or a query (circle): this adds noise to it alone, and what changes is marked.">
    <${el} axes=${i} change=${e} />
    <${nl} label="queries and keys" points=${[...c("query",n.q[a]),...c("key",n.k[a])]} onMove=${o?()=>{}:u}
      xLabel=${`coordinate ${i.a+1}`} yLabel=${`coordinate ${i.b+1}`} height=${260} />
    ${s.noise&&!o&&d`<button onClick=${()=>e({noise:null})}>Remove the noise</button>`}
  <//>`}function tl(t,e){let n=[];for(let a=0;a<t;a++)for(let i=a+1;i<t;i++)n.push([`${a},${i}`,`${a+1} and ${i+1}`]);let[s,r]=(n.find(([a])=>a===e)?.[0]??n[0]?.[0]??"0,0").split(",").map(Number);return{pairs:n,a:s,b:r,at:a=>({x:a[s]??0,y:a[r]??0}),put:(a,i,l)=>a.map((c,u)=>u===s?i:u===r?l:c)}}var el=({axes:{pairs:t,a:e,b:n},change:s})=>t.length>1&&d`<${ot} label="Coordinates" value=${`${e},${n}`} options=${t} onChange=${r=>s({axes:r})} />`;function nl({label:t,points:e,onMove:n,onChoose:s,chosen:r,xLabel:o,yLabel:a,step:i=.1,height:l=330}){let[c,u]=Q(),[p,h]=q(null),m=D(null),f=1.18*Math.max(1,...e.flatMap(({x:k,y:_,from:T})=>[k,_,...T??[]].map(Math.abs))),$=p?.bound??f,g=Math.max(60,Math.min(u,560)/2),x=(Math.min(2*g,l)/2-8)/$,b=(k,_)=>Pe().domain([-k/x,k/x]).range([(1-_)*k,(1+_)*k]),[v,y]=[b(g,1),b(l/2,-1)],w=k=>e.some(_=>_!==k&&v(_.x)>=v(k.x)&&v(_.x)-v(k.x)<56&&Math.abs(y(_.y)-y(k.y))<15&&_.x!==k.x),M=k=>Number((Math.round(k/(i/2))*(i/2)).toFixed(4)),A=k=>{if(!p)return;let _=m.current.getBoundingClientRect();n(p.id,M(v.invert(k.clientX-_.left)),M(y.invert(k.clientY-_.top)))},z=(k,_)=>{let T={ArrowLeft:[-i,0],ArrowRight:[i,0],ArrowUp:[0,i],ArrowDown:[0,-i]}[k.key];if(T){k.preventDefault();let N=k.shiftKey?10:1;n(_.id,Number((_.x+N*T[0]).toFixed(4)),Number((_.y+N*T[1]).toFixed(4)))}else(k.key==="Enter"||k.key===" ")&&(k.preventDefault(),s?.(_.id))};return d`<div class="plane" ref=${c}>
    <svg ref=${m} width=${2*g} height=${l} role="group" aria-label=${t} onPointerMove=${A}
      onPointerUp=${()=>h(null)} onPointerCancel=${()=>h(null)}>
      <g class="axes"><line x1="8" x2=${2*g-8} y1=${y(0)} y2=${y(0)} /><line x1=${v(0)} x2=${v(0)} y1="8" y2=${l-8} />
        ${v.ticks(6).filter(Boolean).map(k=>d`<text x=${v(k)} y=${y(0)+15} text-anchor="middle">${O(k)}</text>`)}
        ${y.ticks(5).filter(Boolean).map(k=>d`<text x=${v(0)-6} y=${y(k)} dy="0.35em" text-anchor="end">${O(k)}</text>`)}
        <text x=${2*g-8} y=${y(0)-7} text-anchor="end">${o}</text><text x=${v(0)+7} y="18">${a}</text></g>
      ${e.map(k=>k.from&&d`<g class="came"><circle cx=${v(k.from[0])} cy=${y(k.from[1])} r="5" /><line x1=${v(k.from[0])} y1=${y(k.from[1])} x2=${v(k.x)} y2=${y(k.y)} /></g>`)}
      ${e.map(k=>d`<g class=${`point ${k.kind}${r===k.id?" chosen":""}`} tabindex="0" role="button"
        aria-label=${`${k.name} at ${O(k.x)}, ${O(k.y)}; arrow keys move it`} data-point=${k.id}
        transform=${`translate(${v(k.x)},${y(k.y)})`} onKeyDown=${_=>z(_,k)}
        onPointerDown=${_=>{_.preventDefault(),_.currentTarget.focus(),m.current.setPointerCapture(_.pointerId),h({id:k.id,bound:$}),s?.(k.id)}}>
        ${k.kind==="key"?d`<rect x="-7" y="-7" width="14" height="14" rx="3" />`:d`<circle r="8" />`}
        <text x=${w(k)?-12:12} y="-8" text-anchor=${w(k)?"end":"start"}>${k.tag??k.name}</text>
      </g>`)}
    </svg>
  </div>`}function sl({state:t,change:e,found:n,shown:s,names:r,isSaved:o}){let a=s.hard?"Small noise does not change hard weights: lower β to see what changes.":"Drag a key or a query, or move it with the arrow keys: this panel shows what changes.";return d`<div class="columns">
    ${n.jacobian&&d`<${rd} found=${n} shown=${s} names=${r} />`}
    <${Zi} state=${t} change=${e} found=${n} shown=${s} names=${r} isSaved=${o} />
    ${n.moved?d`<${od} found=${n} shown=${s} names=${r} change=${o?null:e} />`:d`<${F} class="wide playground-silence" title="What the noise changes" note=${a} />`}
  </div>`}function rd({found:t,shown:e,names:n}){let s=Math.sqrt(t.jacobian.flat().reduce((r,o)=>r+o*o,0));return d`<${F} title=${`How the weights of “${n[e.query]}” respond to its logits`}
    note=${e.hard?"Hard weights do not change until another logit becomes the largest.":"∂aᵢ/∂zⱼ = aᵢ(δᵢⱼ − aⱼ): a weight near 0 or 1 hardly moves."}>
    <${At} label="Jacobian" values=${t.jacobian} scale="signed" limit=${.25} rowNames=${n} columnNames=${n} />
    <p class="note">Frobenius norm <b data-norm>${O(s,4)}</b>, at most 1 − Σa².</p>
  <//>`}function od({found:t,shown:e,names:n,change:s}){let{moved:r}=t,o=e.x.length,a=r.moved.flat(),i=a.filter(Boolean).length,l=r.moved.filter(f=>f.some(Boolean)).length,{on:c,index:u,noise:p}=e.noise,h=Math.max(...r.predicted.flatMap((f,$)=>f.map((g,x)=>Math.abs(g-r.weights[$][x])))),m=[["Weights after it","weights after the noise",{values:r.weights,scale:"weight",limit:1,moved:r.moved,columnNames:n,fixed:3}],["Their change","change of the weights",{values:r.change,scale:"signed",moved:r.moved,columnNames:n}],["Outputs after it","outputs after the noise",{values:r.outputs,moved:r.outputs.map((f,$)=>f.map(()=>r.outputs_moved[$]))}],["Added to the logits","added to the logits",{values:r.shift,scale:"signed",columnNames:n}],["To first order","change to first order",{values:r.first_order,scale:"signed",columnNames:n}]];return d`<${F} class="wide" title=${`Noise on the ${c} of “${n[u]}”`}
    note=${c==="key"?"One logit of every query changes, and through the normaliser all of its weights.":"The weights of one query change, and no others."}
    actions=${s&&d`<button onClick=${()=>s({noise:null})}>Remove it</button>`}>
    <p data-moved>ε = (${p.map(f=>O(f)).join(", ")}): <b>${i} of ${a.length}</b> weights moved, of <b>${l} of ${o}</b> queries; <b>${r.outputs_moved.filter(Boolean).length} of ${o}</b> outputs. Σ(a′ − a)² = ${O(r.energy)}.</p>
    <div class="row playground-results">
      ${m.map(([f,$,g])=>d`<div><h3>${f}</h3><${At} label=${$} rowNames=${n} ...${g} /></div>`)}
    </div>
    <p class="note">The closed form a′ ∝ a·eᵗ predicts the weights after it from those before, within ${O(h)}.</p>
  <//>`}var $r=[["tokens","Tokens"],["qkv","q, k, v"],["logits","q·k·β"],["softmax","Softmax"],["mix","Mix"]],ad=12,jt=t=>`(${t.map(e=>O(e)).join(", ")})`,id=t=>`${(100*t).toFixed(t>=.9995||t<5e-4?0:1)} %`,ld={tokens:({shown:t,names:e,at:n})=>d`Each word is a row of numbers: ${e[n]} is x = ${jt(t.x[n])}.`,qkv:({found:t,h:e,names:n,at:s})=>d`Three matrices make of ${n[s]} a <b>query</b>, what it looks for, q = ${jt(t.q[e][s])}; a <b>key</b>, what it is
    found by, k = ${jt(t.k[e][s])}; a <b>value</b>, what it gives, v = ${jt(t.v[e][s])}.`,logits:({found:t,shown:e,h:n,names:s,at:r})=>{let[o]=Wn(t.logits[n][r]),a=t.logits[n][r].filter(i=>i===null).length;return o===void 0?d`The mask hides every word from ${s[r]}.`:d`The query of ${s[r]} meets every key: β·q·k = ${O(t.beta,4)} · ${jt(t.q[n][r])} · ${jt(t.k[n][o])} = <b>${O(t.logits[n][r][o])}</b> for ${s[o]}, the largest${a?`; the mask hides ${a} of ${e.x.length}`:""}.`},softmax:({found:t,shown:e,h:n,names:s,at:r})=>{let[o]=Wn(t.logits[n][r]);if(o===void 0)return d`The mask hides every word from ${s[r]}: its weights are 0.`;let a=e.hard?"At β → ∞ the largest logit takes all":d`e<sup>${O(t.logits[n][r][o])}</sup> over the sum of all e<sup>logit</sup> is${" "}
      ${t.weights[n][r][o].toFixed(3)}; so the weights add up to 1`;return d`${a}: ${s[r]} looks at ${rl(t.weights[n][r],s)}.`},mix:({found:t,h:e,names:n,at:s})=>{let r=Wn(t.weights[e][s]).slice(0,2).map(o=>d`${t.weights[e][s][o].toFixed(3)}·v(${n[o]}) + `);return d`The output of ${n[s]} is the values, mixed by its weights: ${r}… = <b>${jt(t.outputs[e][s])}</b>${t.merged?d`; W_O makes of all heads y = ${jt(t.merged[s])}`:""}.`},"":({found:t,h:e,names:n,at:s})=>d`Every word looks at the others: <b>${n[s]}</b> looks at ${rl(t.weights[e][s],n)}, and takes that much of
    what they hold. Choose a word, or a step.`},Wn=t=>[...t.keys()].filter(e=>t[e]!==null).sort((e,n)=>t[n]-t[e]),rl=(t,e)=>Wn(t).slice(0,3).map((n,s)=>d`${s?", ":""}${e[n]} <b>${id(t[n])}</b>`);function ol({found:t,shown:e,problem:n,names:s,at:r,step:o,change:a,choose:i,edit:l,isSaved:c}){let u=e.head,p={found:t,shown:e,h:u,names:s,at:r},h={rowNames:s,chosen:r,onRow:i},m=($,g,x)=>d`<section class=${`stage${o===$?" lit":""}`} data-stage=${$}><h3>${g}</h3>${x}</section>`,f=e.hard?`q·k/√${t.q[u][0].length}`:"β·q·k";return d`<${F} class="playground-flow" title=${e.heads.length>1?`Head ${u+1}`:"The head"} actions=${d`<${cd} step=${o} change=${a} />`}>
    <p class="playground-told" role="status" data-told=${o}>${ld[o](p)}</p>
    <div class="flow">
      ${m("tokens","X, the tokens",d`<${ud} problem=${n} at=${r} edit=${l} isSaved=${c} />`)}
      ${m("qkv","q, k, v",d`
        ${[["q","Q = X·W_Q","queries"],["k","K = X·W_K","keys"],["v","V = X·W_V","values"]].map(([$,g,x])=>d`<h4>${g}</h4>
          <${At} label=${x} values=${t[$][u]} ...${$==="q"?h:{rowNames:s}} fixed=${2} />`)}`)}
      ${m("logits",`Logits ${f}`,d`<${At} label="logits" values=${t.logits[u]} scale="signed" columnNames=${s} fixed=${2} ...${h} />
        <p class="hint">query ↓ asks, key → is asked</p>`)}
      ${m("softmax","Weights, softmax",d`<${At} label="weights" values=${t.weights[u]} scale="weight" limit=${1} columnNames=${s} fixed=${3} ...${h} />
        <p class="hint">each row adds up to 1</p>`)}
      ${m("mix","Outputs A·V",d`<${At} label="outputs" values=${t.outputs[u]} fixed=${2} ...${h} />`)}
      ${t.merged&&m("mix","Y, all heads · W_O",d`<${At} label="output" values=${t.merged} fixed=${2} ...${h} />`)}
    </div>
  <//>`}function cd({step:t,change:e}){return d`<ol class="playground-steps" aria-label="Steps">${$r.map(([n,s],r)=>d`<li><button aria-pressed=${String(t===n)}
    onClick=${()=>e({step:t===n?"":n})}>${r+1} ${s}</button></li>`)}</ol>`}function ud({problem:{x:t,tokens:e},at:n,edit:s,isSaved:r}){let o=t.map((l,c)=>e?.[c]??`token ${c+1}`),a=(l,c)=>l.filter((u,p)=>p!==c),i=()=>s({x:[...t,t[0].map(()=>0)],tokens:[...o,`token ${t.length+1}`]});return d`<fieldset class="group" disabled=${r}>
    <${He} label="X" values=${t} rowNames=${o} chosen=${n} onChange=${l=>s({x:l})}
      onName=${(l,c)=>s({tokens:o.map((u,p)=>p===l&&c.trim()||u)})}
      onRemoveRow=${t.length>1?l=>s({x:a(t,l),tokens:a(o,l)}):null} />
    <${Nt} onClick=${i} off=${t.length>=ad}>Add a token<//>
    <p class="hint">Type, turn with the arrow keys, or drag a number sideways.</p>
  </fieldset>`}var ll={problem:null,beta:null,hard:!1,mask:"everything",head:0,query:null,step:"",deeper:!1,noise:null,axes:"0,1"},al=[["everything","everything"],["causal","causal"],["window(1, 1)","neighbours"],["~window(0, 0)","not oneself"]],pd=4,ge=100,cl=t=>t===0?0:Number((10**(-2+4*(t-1)/98)).toPrecision(4)),hd=t=>t<=0?0:Math.max(1,Math.min(ge-1,Math.round(1+98*(Math.log10(t)+2)/4))),ul=t=>t===ge?{hard:!0,beta:null}:{hard:!1,beta:cl(t)};function il(t,e,n){let s=(a,i)=>Math.max(0,Math.min(Math.round(a)||0,i-1)),r=pl(e.noise)&&e.noise.noise.length===t.heads[0].q[0].length&&e.noise.index<t.x.length,o=t.tokens?.length===t.x.length?t.tokens:null;return{x:t.x,tokens:o,heads:t.heads,out:t.out,beta:e.beta===null||e.hard?null:Math.max(0,e.beta),hard:e.hard,mask:e.mask,head:s(e.head,t.heads.length),query:hl(e)?s(n,t.x.length):null,noise:r&&!e.hard?e.noise:null}}var dd=t=>Array.isArray(t?.x?.[0])&&Array.isArray(t?.heads?.[0]?.q?.[0])&&Array.isArray(t.heads[0].v?.[0]),pl=t=>Array.isArray(t?.noise)&&Number.isInteger(t.index),hl=t=>t.deeper||pl(t.noise);function md({ask:t,state:e,change:n,place:s}){let r=D(null),o=G(t,"example",{}),a=dd(e.problem)?e.problem:o.response,i=Number.isFinite(e.query)?e.query:o.response?.query??0,l=a&&il(a,e,i),c=gt(t,"playground",l),u=c.response;if(!a||!u)return d`<${W} error=${o.error??c.error} waiting=${!0} />`;let p=JSON.parse(c.of),h=s==="file",m=p.x.map((y,w)=>p.tokens?.[w]??`token ${w+1}`),f=p.query??Math.max(0,Math.min(Math.round(i)||0,p.x.length-1)),$=y=>n({problem:{x:a.x,tokens:a.tokens,heads:a.heads,out:a.out,...y}}),g=()=>[["example",{}],...Array.from({length:ge+1},(y,w)=>["playground",il(a,{...e,...ul(w)},i)]),["playground",l]],x=$r.some(([y])=>y===e.step)?e.step:"",b=hl(e),v={state:e,change:n,found:u,shown:p,problem:a,names:m,edit:$,isSaved:h};return d`<div class="playground" ref=${r}>
    <${F} class="playground-top">
      <${fd} state=${e} change=${n} beta=${u.beta} problem=${a} edit=${$} isSaved=${h} />
      <${at} name="playground" of=${r} numbers=${()=>gd(u,p)} saves=${g} ask=${t} view="playground" state=${e} place=${s} />
      <${W} error=${c.error} />
    <//>
    <${ol} ...${v} at=${f} step=${x} choose=${h&&b?null:y=>n({query:y})} />
    <div class="columns">
      <${$d} problem=${a} head=${l.head} edit=${$} isSaved=${h} />
      <${Qi} ...${v} />
    </div>
    <div data-unpictured><button class="playground-deeper" aria-expanded=${String(b)} disabled=${h}
      onClick=${()=>n(b?{deeper:!1,noise:null}:{deeper:!0})}>${b?"▾":"▸"} Go deeper: how softmax responds, and what noise changes</button></div>
    ${b&&d`<${sl} ...${v} />`}
  </div>`}function fd({state:t,change:e,beta:n,problem:s,edit:r,isSaved:o}){let a=s.heads[0].q[0].length,i=Math.max(0,n??1/Math.sqrt(a)),l=t.hard?ge:hd(i),c=s.heads.length,u=!al.some(([$])=>$===t.mask),[p,h]=q(u),m=()=>{let[$,g]=[s.heads[0].q.length,s.heads[0].q[0].length],x=(y,w)=>Array.from({length:y},(M,A)=>Array.from({length:w},(z,k)=>A%w===k?1:0)),b=s.heads[0].v[0].length,v=s.out&&[...s.out,...x(b,s.out[0].length)];r({heads:[...s.heads,{q:x($,g),k:x($,g),v:x($,b)}],out:v}),e({head:c})},f=()=>{let $=s.heads[0].v[0].length,g=Math.min(t.head,c-1);r({heads:s.heads.filter((x,b)=>b!==g),out:s.out?.filter((x,b)=>Math.floor(b/$)!==g)??null}),e({head:Math.max(0,g-1)})};return d`<div class="playground-controls">
    <div class="playground-beta">
      <${et} label="β" min="0" max=${ge} step="1" value=${l} onChange=${$=>e(ul($))}
        says=${$=>$===ge?"hard":$===l?O(i,4):O(cl($))} />
      <${Nt} class="quiet" onClick=${()=>e({beta:null,hard:!1})} off=${o||t.beta===null&&!t.hard}>back to 1/√${a}<//>
    </div>
    <p class="hint">${o?"Saved from regard: the slider and the steps work; run regard explore to change anything else.":"β multiplies the logits: 0 spreads the weights evenly, a large value keeps only the largest."}</p>
    <fieldset class="group row" disabled=${o}>
      <${nt} label="Mask" value=${p?"custom":t.mask} options=${[...al,["custom","write one"]]}
        onChange=${$=>(h($==="custom"),$!=="custom"&&e({mask:$}))} />
      ${p&&d`<${pt} label="such as causal & window(2)" value=${t.mask} max="200" onChange=${$=>e({mask:$})} />`}
      <span class="row playground-heads"><${nt} label="Head" value=${Math.min(t.head,c-1)} options=${s.heads.map(($,g)=>[g,g+1])}
        onChange=${$=>e({head:$,noise:null})} />
        <${Nt} onClick=${m} off=${c>=pd} aria-label="add a head">+<//><${Nt} onClick=${f} off=${c===1} aria-label="remove this head">−<//></span>
      <button onClick=${()=>(h(!1),e({...ll}))}>Reset to the worked example</button>
    </fieldset>
  </div>`}function $d({problem:t,head:e,edit:n,isSaved:s}){let{heads:r,out:o}=t,a=i=>l=>n({heads:r.map((c,u)=>u===e?{...c,[i]:l}:c)});return d`<${F} title="Matrices you can change" note="W_Q, W_K and W_V belong to the head; W_O mixes the outputs of all heads.">
    <fieldset class="row playground-results group" disabled=${s}>
      ${[["q","W_Q"],["k","W_K"],["v","W_V"]].map(([i,l])=>d`<div><h3>${l}${r.length>1?` of head ${e+1}`:""}</h3><${He} label=${l} values=${r[e][i]} onChange=${a(i)} /></div>`)}
      ${o&&d`<div><h3>W_O</h3><${He} label="W_O" values=${o} onChange=${i=>n({out:i})} /></div>`}
    </fieldset>
  <//>`}function gd(t,e){let n=o=>Array.isArray(o)?o.flatMap(n):[o],s=o=>Array.isArray(o)?[o.length,...s(o[0])]:[],r={x:e.x,q:t.q,k:t.k,v:t.v,logits:t.logits,weights:t.weights,outputs:t.outputs};return t.jacobian&&(r.jacobian=t.jacobian),t.merged&&(r.merged=t.merged),t.moved&&Object.assign(r,{weights_after_noise:t.moved.weights,change:t.moved.change,outputs_after_noise:t.moved.outputs,added_to_logits:t.moved.shift}),Object.fromEntries(Object.entries(r).map(([o,a])=>[o,{shape:s(a),data:n(a)}]))}var dl={name:"playground",title:"Playground",about:"One head of attention, from the words to what they become: change any number.",state:ll,View:md};var ml=["loss","rate","gradient"],gr=36,xd=800;function Bn(t,e,n){let s=n.toLowerCase().split(/\s+/).filter(Boolean);return e.flatMap(r=>[...t.get(r)??[]].map(([o,a])=>({run:r,name:e.length>1?`${r} · ${o}`:o,...a}))).filter(r=>s.every(o=>r.name.toLowerCase().includes(o)))}function xl({curves:t,names:e,state:n,change:s}){let r=Bn(t,e,""),o=Bn(t,e,n.only),a=vd(o.slice(0,gr)),i=[...new Set(r.flatMap(h=>Object.keys(h.columns)))],l=ml.filter(h=>i.includes(h)),c=i.filter(h=>h!=="step"&&!ml.includes(h)),u=l.includes(n.metric)?n.metric:l[0],p=c.includes(n.evaluated)?n.evaluated:c[0];return l.length?d`<div>
    <div class="row runs-controls" data-unpictured>
      <${mt} label="Logarithmic" value=${n.log} onChange=${h=>s({log:h})} />
      <${et} label="Smoothing" value=${n.smoothing} min=${0} max=${.98} step=${.02} onChange=${h=>s({smoothing:h})}
        says=${h=>h?O(h,2):"none"} />
      ${r.length>3&&d`<${pt} label=${`Only curves with these words, of ${r.length}`} value=${n.only} live max=${100}
        placeholder=${bd(r)} onChange=${h=>s({only:h})} />`}
    </div>
    ${o.length>gr&&d`<p class="hint">The first ${gr} of ${o.length} curves are drawn; filter them above.</p>`}
    ${!o.length&&d`<p class="hint">No training has all of these words.</p>`}
    <div>
      <${yd} shown=${a} />
      <div class="runs-charts">
        <section>
          <div class="runs-chart-head"><h3>During training</h3><div data-unpictured>
            <${nt} label=${d`<span class="unseen">Number at each step</span>`} value=${u} options=${fl(l)}
              onChange=${h=>s({metric:h})} /></div></div>
          <${St} series=${gl(a,u,n.smoothing)} label=${`${u} by step`} xLabel="step"
            yLabel=${n.smoothing?`${u}, smoothed`:u} logY=${n.log} height=${270} says=${$l} />
        </section>
        <section>
          <div class="runs-chart-head"><h3>At evaluations</h3><div data-unpictured>
            ${p&&d`<${ot} label="Number at evaluations" hidden value=${p} options=${fl(c)}
              onChange=${h=>s({evaluated:h})} />`}</div></div>
          ${p?d`<${St} series=${gl(a,p,0)} label=${`${p} by step`} xLabel="step" yLabel=${p}
                height=${270} says=${$l} />`:d`<p class="hint">No evaluation yet.</p>`}
        </section>
      </div>
    </div>
  </div>`:d`<p class="hint">No step has been recorded yet.</p>`}function yd({shown:t}){return t.length<2?null:d`<ul class=${`runs-keys ${t.length>6?"runs-many":""}`} aria-label="Curves">
    ${t.map((e,n)=>d`<li><svg width="26" height="8" aria-hidden="true">
      <line x1="0" x2="26" y1="4" y2="4" class=${e.class} stroke-width="1.8" stroke-dasharray=${Me[n%6]} /></svg>${e.name}</li>`)}
  </ul>`}var fl=t=>t.map(e=>[e,e]),$l=(t,e=4)=>O(t,e);function bd(t){return`for example ${t.flatMap(n=>n.name.split(/[\s·-]+/).filter(s=>s.length>3)).find(n=>t.some(s=>!s.name.includes(n)))??t[0].name}`}function vd(t){let e=[...new Set(t.map(s=>s.run))],n=e.length===1||e.some(s=>t.filter(r=>r.run===s).length>6);return t.map((s,r)=>({...s,class:xt[(n?r+Math.floor(r/6):e.indexOf(s.run))%6]}))}function gl(t,e,n){return t.map(({name:s,columns:r,class:o})=>{let a=(r.step??[]).map((l,c)=>[l,r[e]?.[c]??null]).filter(([,l])=>l!==null);n&&(a=wd(a,n));let i=Math.ceil(a.length/xd);return a=a.filter((l,c)=>c%i===0||c===a.length-1),{name:s,x:a.map(([l])=>l),y:a.map(([,l])=>l),class:o}})}function wd(t,e){let[n,s]=[0,0];return t.map(([r,o])=>(n=e*n+o,s=e*s+1,[r,n/s]))}function yl(t){let e=[...new Set(t.flatMap(r=>Object.keys(r.columns)))],n=t.flatMap(({name:r,lines:o,columns:a},i)=>Array.from({length:o},(l,c)=>[r,[i,...e.map(u=>a[u]?.[c]??null)]])),s=["training",...e];return{curves:{shape:[n.length,s.length],data:n.flatMap(([,r])=>r),rows:n.map(([r])=>r),columns:s}}}var bl=1e3,_d=3e3,kd=30;function vl(t,e){I(()=>{let n=new AbortController,[s,r,o]=[0,!1,null],a=async()=>{clearTimeout(s),!(r||n.signal.aborted)&&(r=!0,o=await t(n.signal),r=!1,o!==null&&!document.hidden&&!n.signal.aborted&&(s=setTimeout(a,o)))},i=()=>!document.hidden&&o!==null&&a();return document.addEventListener("visibilitychange",i),a(),()=>{n.abort(),clearTimeout(s),document.removeEventListener("visibilitychange",i)}},e)}function wl(t,e){let[n,s]=q({response:null,error:null}),r=D("");return vl(async o=>{let a=null;try{a=await t("runs",{},{signal:o});let i=JSON.stringify(a);i!==r.current&&s({response:a,error:null}),r.current=i}catch(i){if($t(i))return null;r.current="",s(l=>({...l,error:i.message}))}return e==="file"?null:a?.runs.some(i=>i.state==="running")?bl:_d},[t,e]),n}function _l(t,e,n){let s=D(new Map),[r,o]=q({curves:new Map,error:null}),a=JSON.stringify(e.map(i=>[i.name,i.state,i.started]));return vl(async i=>{let l=s.current.size===0&&e.length===0,c=null;for(let u of e){let p=s.current.get(u.name);if(!(p&&p.state===u.state&&u.state!=="running"))try{let[h,m]=await Md(t,u.name,p?.trainings??new Map,i,n);s.current.set(u.name,{state:u.state,trainings:h}),l||=m||!p}catch(h){if($t(h))return null;c=h.message}}return(l||c)&&o({curves:new Map([...s.current].map(([u,p])=>[u,p.trainings])),error:c}),n!=="file"&&e.some(u=>u.state==="running")?bl:null},[t,a,n]),r}async function Md(t,e,n,s,r){let o=new Map(n),[a,i]=[!1,!0];for(;i;){let l=Object.fromEntries([...o].map(([p,{lines:h,mark:m}])=>[p,{lines:h,mark:m}])),c=await t("curves",{run:e,after:l},{signal:s}),u=new Set(c.trainings.map(p=>p.name));for(let p of o.keys())u.has(p)||(o.delete(p),a=!0);for(let{name:p,start:h,lines:m,mark:f,columns:$}of c.trainings){let g=o.get(p);g&&h===g.lines&&m===g.lines||(a=!0,o.set(p,{lines:m,mark:f,columns:Sd(g?.columns??{},h,$,m)}))}i=c.more&&r!=="file"}return[o,a]}function Sd(t,e,n,s){let r=o=>new Array(o).fill(null);return Object.fromEntries([...new Set([...Object.keys(t),...Object.keys(n)])].map(o=>[o,[...t[o]?.slice(0,e)??r(e),...n[o]??r(s-e)]]))}function kl(t){let e=D(new Map);for(let n of t)for(let{name:s,step:r,written:o}of n.trainings){let a=`${n.name} ${n.started} ${s}`;if(n.state!=="running"&&e.current.delete(a),n.state!=="running")continue;let i=e.current.get(a)??[],l=i.at(-1);if(l?.step===r)continue;let c=l&&r<l.step?[]:i.filter(u=>o-u.written<kd);e.current.set(a,[...c,{step:r,written:o}])}return(n,s)=>{let r=e.current.get(`${n.name} ${n.started} ${s.name}`)??[],[o,a]=[r[0],r.at(-1)];return r.length<2||a.written<=o.written?null:(a.step-o.step)/(a.written-o.written)}}var Hn=t=>t.trainings.reduce((e,n)=>n.written>e.written?n:e);function yr({text:t}){let e=D(null),[n,s]=q("");return d`<div class="runs-command"><div tabindex="0" role="group" aria-label="Command"><code ref=${e}>${t}</code></div>
    <button class="quiet" data-unpictured onClick=${async()=>{try{await navigator.clipboard.writeText(t),s("Copied")}catch{getSelection().selectAllChildren(e.current),s("Selected")}setTimeout(()=>s(""),1600)}}>${n||"Copy"}</button><span class="unseen" role="status">${n}</span></div>`}function Ml({run:t,speed:e}){if(t.state==="done")return null;let n=t.trainings.length?Hn(t):null,s=l=>l.steps!==null&&l.step>=l.steps,r=l=>s(l)||t.state==="running"&&l!==n,o=t.trainings.filter(r),a=o.length>4,i=t.trainings.filter(l=>!a||!o.includes(l)).sort((l,c)=>l.written-c.written);return d`<div class="runs-progress">
    ${a&&d`<p class="note">${o.length} trainings are done.</p>`}
    ${i.map(l=>d`<${Nd} key=${l.name} one=${l} speed=${t.state==="running"&&!r(l)?e(t,l):null} />`)}
    ${t.state==="running"&&!n&&d`<p class="note">It is about to start.</p>`}
    ${t.state==="running"&&n&&s(n)&&d`<p class="note">The next training is starting, or the trained models are being measured.</p>`}
    ${t.state==="stopped"&&d`<p class="note">It was stopped. This command continues it exactly where it stopped:</p><${yr} text=${t.resume} />`}
  </div>`}var xr=t=>t.toLocaleString("en");function Nd({one:{name:t,step:e,steps:n},speed:s}){let r=s&&n?(n-e)/s:null,o=[n?`step ${xr(e)} of ${xr(n)}`:`step ${xr(e)}`];return s&&o.push(`${O(s,2)} steps/s`),r!==null&&o.push(`${Cd(r)} left`),d`<div class="runs-bar" data-training=${t}>
    <span class="runs-name">${t}</span>
    ${n&&d`<progress max=${n} value=${e} aria-label=${`Steps of ${t}`}></progress>`}
    <span class="runs-far">${o.join(" · ")}</span>
  </div>`}function Cd(t){return t<90?`${Math.max(1,Math.round(t))} s`:t<5400?`${Math.round(t/60)} min`:`${O(t/3600,2)} h`}function Sl({ask:t,run:e,text:n}){let s=D(null);return I(()=>{let r=new AbortController,o=[];s.current.innerHTML=n;for(let a of s.current.querySelectorAll("table, pre"))Ad(a);for(let a of s.current.querySelectorAll("img[data-figure]")){let i=Td(a);t("figure",{run:e,name:a.dataset.figure},{signal:r.signal}).then(({header:l,data:c,offset:u})=>{o.push(URL.createObjectURL(new Blob([new Uint8Array(c,u)],{type:l.kind}))),a.src=o.at(-1)},l=>$t(l)||(a.remove(),i.textContent+=" (missing)"))}return()=>{r.abort(),o.forEach(a=>URL.revokeObjectURL(a))}},[t,e,n]),d`<div class="runs-report" ref=${s}></div>`}function Ad(t){let e=document.createElement("div");e.className="scrolls",t.replaceWith(e),e.append(t),e.scrollWidth>e.clientWidth&&Object.assign(e,{tabIndex:0,role:"group",ariaLabel:"Scrolls sideways"})}function Td(t){let e=document.createElement("figure"),n=document.createElement("figcaption");return n.textContent=t.alt,t.alt="",t.replaceWith(e),e.append(t,n),n}var Nl=t=>[...(t??"").matchAll(/data-figure="([^"]+)"/g)].map(([,e])=>e);function Cl({numbers:t}){let e=Object.keys(t);return d`<details><summary>All numbers <span class="badge">${e.length}</span></summary>
    <div class="runs-table" tabindex="0" role="group" aria-label="All numbers"><table class="lines"><tbody>
      ${e.map(n=>d`<tr><th scope="row">${n}</th><td class="number">${O(t[n],4)}</td></tr>`)}
    </tbody></table></div></details>`}function Al({settings:t}){let e=t.filter(n=>n.own!==null).length;return d`<details><summary>Settings <span class="badge">${t.length}${e?`, ${e} changed`:""}</span></summary>
    <div class="runs-table" tabindex="0" role="group" aria-label="Settings"><table class="lines">
      <thead><tr><th scope="col">setting</th><th scope="col">value</th><th scope="col">recipe default</th></tr></thead>
      <tbody>${t.map(({name:n,value:s,own:r})=>d`<tr class=${r===null?"":"runs-changed"}>
        <th scope="row"><code>${n}</code></th><td><code>${s}</code></td><td>${r===null?"":d`<code>${r}</code>`}</td></tr>`)}</tbody>
    </table></div></details>`}var Ed={run:null,compared:[],metric:"loss",evaluated:null,log:!1,smoothing:0,only:""};function Od({ask:t,state:e,change:n,place:s}){let r={...e,smoothing:cs(e.smoothing,0,.98,0),run:typeof e.run=="string"?e.run:null},{response:o,error:a}=wl(t,s),i=o?.runs??[],l=i.filter(v=>!v.is_shipped).sort((v,y)=>y.started.localeCompare(v.started)),c=i.filter(v=>v.is_shipped),u=D(null);u.current??=[...l,...c][0]?.name??null;let p=i.find(v=>v.name===(r.run??u.current)),h=i.filter(v=>v!==p&&r.compared.includes(v.name)),m=p?[p,...h]:[],f=_l(t,m,s),$=kl(i),g=D([r.run,...r.compared]).current,x=v=>s==="file"?v.filter(y=>g.includes(y.name)):v,b=(v,y)=>n({compared:[...r.compared.filter(w=>w!==v),...y?[v]:[]]});return o?d`<div class="sided runs">
    <div class="panel runs-side">
      <${W} error=${a} />
      ${!l.length&&s!=="file"&&d`<p class="hint">Your runs appear here as soon as they start: try<br />
        <code>regard train reversal --smoke</code></p>`}
      <${Ut} place=${s} what="see other runs" />
      <${Dd} groups=${[["Yours",x(l)],["Comes with regard",x(c)]]} unreadable=${s==="file"?[]:o.unreadable}
        chosen=${p?.name} compared=${r.compared} onChoose=${v=>n({run:v})} onCompare=${b} />
    </div>
    ${p?d`<${Pd} key=${`${p.name} ${p.state} ${p.started}`} ...${{ask:t,state:r,change:n,place:s,run:p,shown:m,found:f,speed:$}} />`:d`<${F} title=${r.run}><p>This run no longer exists.</p><//>`}
  </div>`:d`<${W} error=${a} waiting>reading the runs …<//>`}function Pd({ask:t,state:e,change:n,place:s,run:r,shown:o,found:a,speed:i}){let l=D(null),{response:c,error:u,waiting:p}=G(t,"report",{run:r.name}),h=o.map(f=>f.name),m=()=>[["runs",{}],...h.map(f=>["curves",{run:f,after:{}}]),...h.map(f=>["report",{run:f}]),...Nl(c?.html).map(f=>["figure",{run:r.name,name:f}])];return d`<div class="runs-detail" ref=${l}>
    <${F} title=${d`<span class="runs-title">${r.name}</span> <${br} state=${r.state} />`}
      actions=${d`<${at} name=${`runs-${r.name}`} of=${l} ask=${t} view="runs" state=${{...e,run:r.name}} place=${s}
        numbers=${()=>yl(Bn(a.curves,h,e.only))} saves=${m} />`}>
      ${r.headline&&d`<p class="runs-result">${r.headline}</p>`}
      ${r.is_smoke&&d`<p class="note">A smoke test: it shows that all parts work; its numbers mean nothing.</p>`}
      <p class="note">${r.is_shipped?"Comes with regard; made with":d`Recipe ${r.recipe}, started ${zd(r.started)} with`}</p>
      <${yr} text=${r.command} />
      ${s==="page"&&d`<${Ld} ask=${t} run=${r} />`}
      <${Ml} run=${r} speed=${i} />
    <//>
    <section class="panel">
      <${W} error=${a.error} waiting=${!a.curves.has(r.name)}>reading the curves …<//>
      ${a.curves.has(r.name)&&d`<${xl} curves=${a.curves} names=${h} state=${e} change=${n} />`}
    </section>
    <${F} title="Report">
      <${W} error=${u} waiting=${p}>reading the report …<//>
      ${c?.html&&d`<${Sl} ask=${t} run=${r.name} text=${c.html} />`}
      ${c&&!c.html&&d`<p class="hint">${r.state==="done"?"There is no report.":"The report is written when the training is done."}</p>`}
    <//>
    ${c&&d`<section class="panel runs-folded" data-unpictured>
      ${c.numbers&&d`<${Cl} numbers=${c.numbers} />`}
      <${Al} settings=${c.settings} />
    </section>`}
  </div>`}function Ld({ask:t,run:e}){let n=G(t,"models",{}).response?.models??[],s=G(t,"recorded",{}).response?.trainings??[],r=(i,l)=>`#${i}?${encodeURIComponent(JSON.stringify(l))}`,o=n.find(i=>i.name===e.name||i.name.startsWith(`${e.name}/`)),a=s.find(i=>i.run===e.name);return!o&&!a?null:d`<p class="note runs-elsewhere" data-unpictured>
    ${o&&d`<a href=${r("maps",{model:o.name})}>Look at its attention maps</a>`}${o&&a&&" · "}
    ${a&&d`<a href=${r("heads",{run:e.name,training:a.training})}>Play its heads over training</a>`}
  </p>`}function zd(t){let e=new Date(t);return Number.isNaN(e.getTime())?t:e.toLocaleString("en-GB",{dateStyle:"medium",timeStyle:"short"})}var Tl={name:"runs",title:"Runs",about:"Trainings and their results. Curves grow while a training runs; tick several runs to overlay their curves.",state:Ed,View:Od},Rd={done:d`<path d="M3 8.5 6.5 12 13 4.5" fill="none" stroke="currentColor" stroke-width="2" />`,running:d`<circle cx="8" cy="8" r="4.5" fill="currentColor" />`,stopped:d`<path d="M5 4v8M11 4v8" fill="none" stroke="currentColor" stroke-width="2.4" />`,unreadable:d`<path d="M8 2.5v7M8 12v1.8" fill="none" stroke="currentColor" stroke-width="2.2" />`},br=({state:t})=>d`<span class=${`runs-state runs-${t}`}>
  <svg viewBox="0 0 16 16" width="12" height="12" aria-hidden="true">${Rd[t]}</svg>${t}</span>`;function Dd({groups:t,unreadable:e,chosen:n,compared:s,onChoose:r,onCompare:o}){let a=D(null);return I(()=>{let[l,c]=[a.current.querySelector(".runs-chosen"),a.current.parentElement],u=l?l.getBoundingClientRect().bottom-c.getBoundingClientRect().bottom:0;u>0&&(c.scrollTop+=u+12)},[n]),d`<nav class="runs-list" aria-label="Runs" ref=${a} onKeyDown=${l=>{let c=[...a.current.querySelectorAll(".runs-pick")],u=c.indexOf(l.target),p=u<0||l.key==="ArrowLeft"||l.key==="ArrowRight"?null:he(l,u,c.length,1);p!==null&&c[p].focus()}}>
    ${t.map(([l,c])=>c.length>0&&d`<section><h2>${l}</h2><ul>
      ${c.map(u=>d`<li key=${u.name} class=${u.name===n?"runs-chosen":""}>
        <button class="runs-pick" aria-current=${u.name===n?"true":null} onClick=${()=>r(u.name)}>
          <span class="runs-name">${u.name}</span><${br} state=${u.state} />
          <span class="runs-headline">${u.headline??qd(u)}</span>
        </button>
        ${u.name!==n&&d`<label class="runs-compare" title="Overlay its curves">
          <input type="checkbox" checked=${s.includes(u.name)} onChange=${p=>o(u.name,p.target.checked)} />
          compare<span class="unseen"> ${u.name}</span></label>`}
      </li>`)}
    </ul></section>`)}
    ${e.length>0&&d`<section><h2>Cannot be read</h2><ul>
      ${e.map(l=>d`<li class="runs-wrong"><span class="runs-name">${l.name}</span><${br} state="unreadable" />
        <span class="runs-headline">${l.why}</span></li>`)}
    </ul></section>`}
  </nav>`}function qd(t){if(!t.trainings.length)return t.state==="running"?"about to start":"not started";let{name:e,step:n,steps:s}=Hn(t);return`${e}: step ${n.toLocaleString("en")}${s?` of ${s.toLocaleString("en")}`:""}`}var Un=[dl,Di,ui,Yi,Ha,Tl],Ft=t=>Un.find(e=>e.name===t)??Un[0];function Ue({model:t}){let e=Ft(t.get("view")),n=K(()=>Yr(t),[t]),[s,r]=q(()=>({...e.state,...t.get("state")}));I(()=>{let a=()=>r({...e.state,...t.get("state")});return t.on("change:state",a),()=>t.off("change:state",a)},[t,e]);let o=Kr(a=>{t.set("state",{...t.get("state"),...a}),t.save_changes()},[t]);return d`<${e.View} ask=${n} state=${s} change=${o} place=${t.get("place")??"notebook"} />`}function vr(){let[,t,e]=/^#?([a-z]*)(?:\?(.*))?$/.exec(location.hash)??[],n=Ft(t);return{view:n.name,state:jd(n,e)}}function jd(t,e){try{let n=Object.entries(JSON.parse(decodeURIComponent(e??""))??{});return Object.fromEntries(n.filter(([s,r])=>Fd(r,t.state[s])))}catch{return{}}}var El=t=>Array.isArray(t)?"array":t===null?"null":typeof t,Fd=(t,e)=>e!==void 0&&(e===null||El(t)===El(e));function Pl({view:t,state:e}){let n=Object.entries(e).filter(([s,r])=>!Ll(r,Ft(t).state[s]));return`#${t}${n.length?`?${encodeURIComponent(wr(Object.fromEntries(n)))}`:""}`}var wr=t=>JSON.stringify(t,(e,n)=>e.startsWith("__")?void 0:n),Ll=(t,e)=>wr(t)===wr(e),te=new Map;function Ol({view:t,state:e}){if(!te.has(t)){let n=new nn({view:t,state:e,place:"page"}),s=0;n.on("change:state",()=>{clearTimeout(s),s=setTimeout(()=>{vr().view===t&&history.replaceState(null,"",Pl({view:t,state:n.get("state")}))},200)}),te.set(t,n)}return te.get(t)}function Id({model:t,children:e}){let[n,s]=q(null);return this.componentDidCatch=r=>{console.error(r),s(r)},I(()=>{let r=()=>s(null);return t.on("change:state",r),()=>t.off("change:state",r)},[t]),n===null?e:d`<section class="panel" role="alert">
    <p class="error">The view cannot show this address: ${n.message}</p>
    <button onClick=${()=>t.set("state",{})}>Start over</button>
  </section>`}function zl(){let[t,e]=q(vr);I(()=>{let s=()=>{let r=vr();te.has(r.view)&&!Ll(te.get(r.view).get("state"),r.state)&&te.get(r.view).set("state",r.state),e(r)};return addEventListener("hashchange",s),()=>removeEventListener("hashchange",s)},[]),I(()=>{document.title=`${Ft(t.view).title} · regard`},[t.view]);let n=Ft(t.view);return d`
    <a class="skip" href=${location.hash||"#playground"} onClick=${Wd}>Skip to the view</a>
    <header class="top">
      <a class="brand" href="#playground" aria-label="regard"><${an} />regard</a>
      <nav aria-label="Views">
        ${Un.map(s=>d`<a
            href=${Pl({view:s.name,state:te.get(s.name)?.get("state")??{}})}
            aria-current=${s.name===n.name?"page":null}
            >${s.title}</a
          >`)}
      </nav>
      <${ln} />
    </header>
    <main id="main" tabindex="-1">
      <div class="heading"><h1>${n.title}</h1><p>${n.about}</p></div>
      <${Id} key=${n.name} model=${Ol(t)}><${Ue} model=${Ol(t)} /><//>
    </main>
  `}function Wd(t){t.preventDefault(),document.getElementById("main").focus()}var _r=document.getElementById("regard-page");_r&&(_r.textContent="",we(d`<${zl} />`,_r));var Rl=document.getElementById("regard-saved");Rl&&Bd(JSON.parse(Rl.textContent));function Bd({view:t,state:e,answers:n,version:s,date:r}){let o=Ft(t),a=new sn({view:t,state:e,place:"file"},n);document.title=`${o.title} · regard`;let i=document.createElement("div");document.body.append(i);let l=d`
    <main>
      <div class="heading"><div><h1>${o.title}</h1><p>${o.about}</p></div><${ln} /></div>
      <${Ue} model=${a} />
    </main>
    <footer><${an} /><p>Saved from regard ${s} on ${r}; <code>regard explore</code> shows it live.</p></footer>
  `;we(l,i)}function Dl(){let{jpThemeLight:t,vscodeThemeKind:e}=document.body.dataset,n=t?t!=="true":e&&/dark/.test(e),s=n===void 0||n===""?null:n?"dark":"light";s&&document.documentElement.dataset.theme!==s&&(document.documentElement.dataset.theme=s)}var Hx={render({model:t,el:e}){e.classList.add("regard","in-notebook");let n=({target:r})=>e.contains(r)&&(r.dataset.lmSuppressShortcuts="true");addEventListener("keydown",n,!0),Dl();let s=new MutationObserver(Dl);return s.observe(document.body,{attributeFilter:["data-jp-theme-light","data-vscode-theme-kind"]}),we(d`<${Ue} model=${t} />`,e),()=>(removeEventListener("keydown",n,!0),s.disconnect(),we(null,e))}};export{nn as PageModel,sn as SavedModel,Yr as asker,Hx as default,Hs as drawFigure,me as ellipseOf,nc as fromBase64,d as html,$t as isAborted,we as render,is as toBase64,ec as unpack,G as useAnswer,gt as useLatest,Ft as viewOf};
